//! `cargo warpweft doctor`: what is here, what will be used, and the command that mends each lack.

use std::path::Path;
use std::process::ExitCode;

use warpweft_build::toolchain::{Core, Toolchain};
use warpweft_build::{Error, arch, cache, libdevice, machine, toolchain};

use crate::driver::{self, Driver};
use crate::megabytes;

/// One thing that was looked for.
struct Finding {
    name: &'static str,
    /// Building or running on a GPU is impossible without it.
    needed: bool,
    found: Result<String, Lack>,
}

/// What is lacking, and the commands that mend it.
struct Lack {
    what: String,
    mend: Vec<String>,
}

/// Prints the report. Fails only when GPU code cannot be built: a machine without a GPU is no fault.
pub fn run() -> ExitCode {
    let findings = [device_toolchain(), core_cache(), library(), architecture(), ptxas(), driver(), gpus()];
    for finding in &findings {
        print(finding);
    }
    if findings.iter().any(|finding| finding.needed && finding.found.is_err()) {
        println!(
            "\nGPU code cannot be built here yet. Without it, `RUSTFLAGS=\"--cfg sim\"` runs kernels on CPU threads."
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn print(Finding { name, needed, found }: &Finding) {
    match found {
        Ok(text) => println!("{:<8}{name:<18}{}", "ok", indent(text)),
        Err(Lack { what, mend }) => {
            println!("{:<8}{name:<18}{}", if *needed { "LACKING" } else { "none" }, indent(what));
            for (index, command) in mend.iter().enumerate() {
                println!("{:<26}{} {command}", "", if index == 0 { "mend:" } else { "  or:" });
            }
        }
    }
}

fn indent(text: &str) -> String {
    text.trim().replace('\n', &format!("\n{:<26}", ""))
}

fn device_toolchain() -> Finding {
    let found =
        toolchain::find().map(|found| format!("{found}\nfound as {}", found.origin)).map_err(|lacking| {
            let tried: Vec<String> =
                lacking.tried.iter().map(|tried| format!("{}: {}", tried.what, tried.why)).collect();
            Lack {
                what: format!("no rustc for NVIDIA GPUs\n{}", tried.join("\n")),
                mend: match lacking.explicit {
                    Some(_) => vec!["unset WARPWEFT_RUSTC".to_owned()],
                    None => toolchain_remedies(),
                },
            }
        });
    Finding { name: "device toolchain", needed: true, found }
}

/// The remedies that this machine can follow.
fn toolchain_remedies() -> Vec<String> {
    let rustup = in_path("rustup");
    let debian = Path::new("/etc/debian_version").exists();
    let possible = |command: &str| match command.split(' ').next() {
        Some("rustup") => rustup,
        Some("apt-get") => debian,
        _ => true,
    };
    let commands = toolchain::remedies().iter().map(|remedy| remedy.command);
    let mut mend: Vec<String> = vec!["cargo warpweft setup".to_owned()];
    mend.extend(commands.filter(|command| possible(command)).map(str::to_owned));
    mend
}

fn in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|dir| dir.join(&file).is_file())
}

fn core_cache() -> Finding {
    let found = cache::directory()
        .map(|place| {
            let size = cache::size_of_tree(&place);
            let state = match toolchain::find() {
                Ok(Toolchain { core: Core::Sources(_), .. }) if size == 0 => {
                    "; the first build compiles core into it, about half a minute"
                }
                _ => "",
            };
            format!("{} ({}{state})", place.display(), megabytes(size))
        })
        .map_err(|error| Lack {
            what: error.to_string(),
            mend: vec!["export WARPWEFT_CACHE=/a/directory/of/yours".to_owned()],
        });
    Finding { name: "cache", needed: false, found }
}

fn library() -> Finding {
    let found = match libdevice::find() {
        Ok(Some(path)) => Ok(path.display().to_string()),
        Ok(None) => Err(Lack {
            what:
                "libdevice.10.bc is not here: device mathematics comes from the crate libm, which is slower"
                    .to_owned(),
            mend: vec![
                "python3 -m pip install --user 'nvidia-nvvm==13.0.*'".to_owned(),
                "export WARPWEFT_LIBDEVICE=/path/to/libdevice.10.bc".to_owned(),
            ],
        }),
        Err(error) => {
            Err(Lack { what: error.to_string(), mend: vec!["unset WARPWEFT_LIBDEVICE".to_owned()] })
        }
    };
    Finding { name: "libdevice", needed: false, found }
}

fn architecture() -> Finding {
    let found = match std::env::var("WARPWEFT_ARCH") {
        Ok(value) if !value.is_empty() => arch::from_setting("WARPWEFT_ARCH", &value)
            .map(|arch| format!("{arch}, from WARPWEFT_ARCH"))
            .map_err(|error| Lack { what: error.to_string(), mend: vec!["unset WARPWEFT_ARCH".to_owned()] }),
        _ => Ok(format!("{} unless a package sets another", arch::Arch::default())),
    };
    Finding { name: "GPU generation", needed: false, found }
}

fn ptxas() -> Finding {
    let found = machine::cuda_tool("ptxas").ok_or_else(|| Lack {
        what: "not needed to build or run; tests check PTX with it".to_owned(),
        mend: vec!["python3 -m pip install --user 'nvidia-cuda-nvcc==13.0.*'".to_owned()],
    });
    let found = found.map(|path| {
        let version = machine::cuda_tool_version(&path).unwrap_or_else(|| "of unknown version".to_owned());
        format!("{version} ({})", path.display())
    });
    Finding { name: "ptxas", needed: false, found }
}

fn driver() -> Finding {
    const MEND: &str =
        "install NVIDIA's driver (https://www.nvidia.com/drivers); kernels run on the simulator until then";
    let found = match driver::ask() {
        Driver::Supports(major, minor) => Ok(format!("supports CUDA {major}.{minor}")),
        Driver::Fails(code) => {
            Err(Lack { what: format!("libcuda gives error {code}"), mend: vec![MEND.to_owned()] })
        }
        Driver::Absent(library) => {
            Err(Lack { what: format!("{library} cannot be loaded"), mend: vec![MEND.to_owned()] })
        }
    };
    Finding { name: "CUDA driver", needed: false, found }
}

fn gpus() -> Finding {
    let found = machine::gpus()
        .map(|gpus| {
            let lines = gpus.iter().map(|gpu| {
                format!("{} ({}, {} MiB, driver {})", gpu.name, gpu.arch, gpu.memory_mib, gpu.driver)
            });
            lines.collect::<Vec<_>>().join("\n")
        })
        .map_err(|error| match error {
            Error::Spawn { .. } => {
                Lack { what: "there is no nvidia-smi to list them".to_owned(), mend: Vec::new() }
            }
            other => Lack { what: other.to_string(), mend: Vec::new() },
        });
    Finding { name: "GPUs", needed: false, found }
}
