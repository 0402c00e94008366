//! `cargo xtask test`: every group of tests that this machine can run, and a line for every group that it cannot.

mod groups;
mod report;

pub use report::Count;

use anyhow::{Result, bail};
use clap::Args;

use crate::cargo::Mode;
use crate::{probe, toolchain};
use report::Report;

/// Options of `cargo xtask test`.
#[derive(Args)]
pub struct Options {
    /// Also run the slow groups: the release build and the lints.
    #[arg(long)]
    all: bool,
    /// Run only the groups whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Do not install a device toolchain or ptxas when there is none: skip what needs it.
    #[arg(long)]
    no_install: bool,
}

/// Runs the test suite.
///
/// # Errors
/// When any group fails, after all of them have run.
pub fn run(options: &Options) -> Result<()> {
    let mut report = Report::new(options.only.clone());
    let toolchain = toolchain::ready(!options.no_install);
    let gpus = probe::gpus();
    match &toolchain {
        Ok(name) => println!("device toolchain: {name}"),
        Err(error) => println!("device toolchain: none\n{error}"),
    }
    match &gpus {
        Ok(count) => println!("CUDA devices:     {count}"),
        Err(reason) => println!("CUDA devices:     none ({reason})"),
    }
    let device = toolchain.as_ref().map(|_| ()).map_err(|_| "no device toolchain".to_owned());

    // What holds no kernel is the same in both builds; the group `host` tests it.
    let without_kernels = ["warpweft-build", "warpweft-macros", "cargo-warpweft", "xtask"];
    let mut sim = vec!["--workspace", "--all-targets"];
    sim.extend(without_kernels.iter().flat_map(|package| ["--exclude", package]));
    report.group("sim", Ok(()), || groups::cargo_tests(Mode::Sim, &sim));
    report.group("doc", Ok(()), || groups::cargo_tests(Mode::Sim, &["--workspace", "--doc"]));
    match &device {
        Ok(()) => {
            report
                .group("host", Ok(()), || groups::cargo_tests(Mode::Ptx, &["--workspace", "--all-targets"]));
        }
        // What holds no kernel can be tested all the same.
        Err(_) => report.group("host (packages without kernels)", Ok(()), || {
            let packages: Vec<&str> =
                without_kernels.iter().flat_map(|package| ["--package", package]).collect();
            groups::cargo_tests(Mode::Ptx, &packages)
        }),
    }
    report.group("device build", device.clone(), groups::device_build);
    let ptxas = device.clone().and_then(|()| match options.no_install || !report.wants("ptx") {
        true => probe::find_ptxas().ok_or_else(|| "no ptxas".to_owned()),
        false => probe::ptxas(),
    });
    report.group("ptx", ptxas.as_ref().map(|_| ()).map_err(Clone::clone), || {
        groups::ptx_images(ptxas.as_deref().unwrap_or(std::path::Path::new("ptxas")))
    });
    report.group("examples (simulator)", Ok(()), || groups::examples(Mode::Sim, "sim"));
    let gpu = device.clone().and(gpus.map(|_| ()));
    report.group("examples (GPU)", gpu, || groups::examples(Mode::Ptx, "cuda"));
    report.group("stand-alone package (sim)", Ok(()), || crate::stand_alone::check(Mode::Sim));
    report.group("stand-alone package (PTX)", device.clone(), || crate::stand_alone::check(Mode::Ptx));
    let slow = if options.all { Ok(()) } else { Err("slow; `--all` runs it".to_owned()) };
    report.group("lint", slow.clone(), groups::lint);
    report.group("release", slow.and(device), || {
        groups::cargo_tests(Mode::Ptx, &["--workspace", "--all-targets", "--release"])
    });

    report.print();
    match report.failed() {
        0 => Ok(()),
        1 => bail!("1 group failed"),
        failed => bail!("{failed} groups failed"),
    }
}
