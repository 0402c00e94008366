//! The options that all examples have.

use std::str::FromStr;

use warpweft::Device;

/// Which device an example runs on: `any`, `sim`, `cuda` or `cuda:N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// The first CUDA device, or else the simulator.
    #[default]
    Any,
    /// CPU threads.
    Sim,
    /// The CUDA device of this number.
    Cuda(usize),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            "sim" => Ok(Self::Sim),
            "cuda" => Ok(Self::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|number| number.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| "expected `any`, `sim`, `cuda` or `cuda:N`".to_owned()),
        }
    }
}

impl Choice {
    /// Opens the device.
    ///
    /// # Errors
    /// When a CUDA device was asked for that is not there.
    pub fn open(self) -> warpweft::Result<Device> {
        match self {
            Self::Any => Device::any(),
            Self::Sim => Ok(Device::sim()),
            Self::Cuda(number) => Device::cuda(number),
        }
    }
}

/// The options that all examples have.
#[derive(clap::Args, Debug)]
pub struct Common {
    /// Where to run: any (the first GPU, or else the simulator), sim, cuda, or cuda:N.
    #[arg(long, default_value = "any")]
    pub device: Choice,
    /// Compare the result with a CPU reference.
    #[arg(long)]
    pub verify: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named() {
        assert_eq!("any".parse(), Ok(Choice::Any));
        assert_eq!("sim".parse(), Ok(Choice::Sim));
        assert_eq!("cuda".parse(), Ok(Choice::Cuda(0)));
        assert_eq!("cuda:3".parse(), Ok(Choice::Cuda(3)));
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x"] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
    }
}
