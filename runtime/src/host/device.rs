//! Devices: a GPU, or a simulated one.

use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use crate::host::context::Context;
use crate::host::error::{Error, Result, SIMULATOR};
use crate::host::limits::Limits;
use crate::host::simulated::Simulated;
use crate::host::stream::Stream;

/// A device on which kernels run: an NVIDIA GPU, or the simulator on this machine's CPU.
///
/// Cloning is cheap; clones stand for the same device. The device's context lives as long as a `Device`, stream, event
/// or buffer of it does.
///
/// ```
/// # fn main() -> warpweft::Result<()> {
/// use warpweft::Device;
/// let device = Device::sim();
/// let stream = device.stream()?;
/// let buffer = stream.upload(&[1, 2, 3])?;
/// assert_eq!(stream.download(&buffer)?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    kind: Kind,
    name: String,
    limits: Limits,
    /// The context in use; a new one takes its place when it has died.
    context: Mutex<Arc<Context>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sim,
    #[cfg(not(sim))]
    Cuda(usize),
}

impl Kind {
    fn open(self) -> Result<Arc<Context>> {
        match self {
            Kind::Sim => {
                let driver = Box::new(Simulated::default());
                Ok(Arc::new(Context::new(SIMULATOR.to_owned(), Limits::simulated(), true, driver)))
            }
            #[cfg(not(sim))]
            Kind::Cuda(ordinal) => crate::cuda::context(ordinal),
        }
    }
}

impl Device {
    /// Opens the device that the environment variable `WARPWEFT_DEVICE` names (`sim`, `cuda` or `cuda:N`). Without it,
    /// opens the first CUDA device, or makes a simulated one where there is none and says so on standard error, once.
    ///
    /// # Errors
    /// [`Error::DeviceName`] if the variable holds something else; what [`Device::cuda`] returns if it names a CUDA
    /// device; [`Error::OutOfMemory`] or [`Error::Driver`] if a CUDA device is there but does not start.
    pub fn any() -> Result<Self> {
        match std::env::var("WARPWEFT_DEVICE") {
            Ok(value) if !value.is_empty() => Self::named(&value),
            Err(std::env::VarError::NotUnicode(value)) => {
                Err(Error::DeviceName { value: value.to_string_lossy().into_owned() })
            }
            _ => Self::first(),
        }
    }

    fn first() -> Result<Self> {
        if cfg!(sim) {
            return Ok(Self::sim());
        }
        match Self::cuda(0) {
            Err(error @ (Error::NoDriver { .. } | Error::NoDevice { .. })) => {
                static SAID: Once = Once::new();
                SAID.call_once(|| eprintln!("warpweft: {}; running on the simulator", error.why_no_gpu()));
                Ok(Self::sim())
            }
            other => other,
        }
    }

    fn named(value: &str) -> Result<Self> {
        let ordinal = match value {
            "sim" => return Ok(Self::sim()),
            "cuda" => Some(0),
            _ => value.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
        };
        Self::cuda(ordinal.ok_or_else(|| Error::DeviceName { value: value.to_owned() })?)
    }

    /// Opens CUDA device `ordinal`, counted from 0 in the driver's order, through its primary context.
    ///
    /// All `Device`s of one number share one context, also with other code in this process that uses the primary
    /// context, such as the CUDA runtime. The context stays current to the threads that call into this crate.
    ///
    /// # Errors
    /// [`Error::BuiltForSimulator`] under `--cfg sim`; [`Error::NoDriver`], [`Error::NoDevice`], [`Error::Forked`],
    /// [`Error::Driver`].
    pub fn cuda(ordinal: usize) -> Result<Self> {
        #[cfg(sim)]
        return Err(Error::BuiltForSimulator { ordinal });
        #[cfg(not(sim))]
        {
            let context = crate::cuda::context(ordinal)?;
            Ok(Self::of(Kind::Cuda(ordinal), crate::cuda::name(ordinal)?, context))
        }
    }

    /// Makes a simulated device. Each call makes one of its own, so that tests do not meet: a buffer of one cannot be
    /// used on a stream of another. Clone the device to share it.
    pub fn sim() -> Self {
        let context = Kind::Sim.open().expect("a simulated context needs nothing");
        Self::of(Kind::Sim, "simulator".to_owned(), context)
    }

    fn of(kind: Kind, name: String, context: Arc<Context>) -> Self {
        let limits = context.limits().clone();
        Self { inner: Arc::new(Inner { kind, name, limits, context: Mutex::new(context) }) }
    }

    /// Tells whether this is the simulator.
    pub fn is_sim(&self) -> bool {
        self.inner.kind == Kind::Sim
    }

    /// Returns the device's name, such as "NVIDIA H200" or "simulator".
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns what a launch may ask of this device.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Makes a stream. If the device's context has been lost, the stream belongs to a new one.
    ///
    /// # Errors
    /// [`Error::NoDevice`], [`Error::Forked`], [`Error::Driver`].
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self.live_context()?)
    }

    /// Destroys everything on the device that belongs to this process: buffers, streams, events and loaded kernels
    /// answer every later use with [`Error::ContextLost`]. The device itself stays usable: take a new stream.
    ///
    /// Waits for calls of this crate on other threads to return. Other code in the process that uses the device's
    /// primary context loses its objects too.
    ///
    /// # Errors
    /// [`Error::Forked`], [`Error::Driver`].
    pub fn reset(&self) -> Result<()> {
        // Not simply the context in use here: another `Device` of the same number may have made a newer one.
        self.live_context()?.reset()
    }

    /// Waits for the device's work, and reports a panic that nobody asked for. A context that is gone reports nothing.
    pub(crate) fn settle(&self) -> Result<()> {
        let context = self.context().clone();
        if context.is_alive() { context.settle() } else { Ok(()) }
    }

    fn context(&self) -> MutexGuard<'_, Arc<Context>> {
        self.inner.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live_context(&self) -> Result<Arc<Context>> {
        // Before the lock, which nobody may be left to release.
        #[cfg(not(sim))]
        if !self.is_sim() && crate::host::fork::forked() {
            return Err(Error::Forked);
        }
        let mut context = self.context();
        if !context.is_alive() {
            *context = self.inner.kind.open()?;
        }
        Ok(context.clone())
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.inner.name)
            .field("kind", &self.inner.kind)
            .finish_non_exhaustive()
    }
}
