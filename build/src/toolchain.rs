//! Finds a rustc that compiles for `nvptx64-nvidia-cuda`.
//!
//! PTX is the only thing that crosses from the device compiler to the host program, so the two compilers
//! need not be the same. The search goes, in this order, through
//! 1. `WARPWEFT_RUSTC` (with `WARPWEFT_SYSROOT`, when its core lies elsewhere), and nothing else when it is set;
//! 2. the rustc that cargo uses;
//! 3. the other toolchains of rustup;
//! 4. `/usr/bin/rustc`, which on Debian is the package `rustc-web`.
//!
//! A compiler does when its sysroot holds the target, or else the sources of core, from which
//! [`sysroot`](crate::sysroot) then builds it once.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Error;
use crate::process;

/// The compilation target of device code.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// The oldest device compiler that is known to work: major and minor version.
pub const OLDEST: (u32, u32) = (1, 95);

/// How long `rustc -vV` and the like may take. A first call through a rustup proxy on a cold disk is slow.
const ASK_LIMIT: Duration = Duration::from_secs(60);

/// A compiler for device code, and where its core comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Toolchain {
    /// The compiler, called directly and not through a proxy.
    pub rustc: PathBuf,
    /// The directory that the compiler calls its sysroot.
    pub sysroot: PathBuf,
    /// The release, such as `1.96.0` or `1.97.0-nightly`.
    pub release: String,
    /// Everything that `rustc -vV` prints.
    pub version: String,
    /// Where core for the device comes from.
    pub core: Core,
    /// Which step of the search found it, in words.
    pub origin: String,
}

/// Where core for the device comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Core {
    /// It lies in the compiler's own sysroot.
    Installed,
    /// It lies in this other sysroot.
    Sysroot(PathBuf),
    /// It must be built from the sources in this directory, which holds `core/src/lib.rs`.
    Sources(PathBuf),
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustc {} ({}), ", self.release, self.rustc.display())?;
        match &self.core {
            Core::Installed => write!(f, "with the {TARGET} target installed"),
            Core::Sysroot(path) => write!(f, "with core from {}", path.display()),
            Core::Sources(_) => write!(f, "with core built from its own sources"),
        }
    }
}

/// One compiler that was looked at and does not do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tried {
    /// Where it was looked for.
    pub what: String,
    /// Why it does not do.
    pub why: String,
}

/// No device toolchain does. The text lists what was tried and what mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotFound {
    /// What was tried, in order.
    pub tried: Vec<Tried>,
    /// The compiler that `WARPWEFT_RUSTC` names, if it is set: nothing else was tried.
    pub explicit: Option<PathBuf>,
}

impl std::error::Error for NotFound {}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rustc) = &self.explicit {
            let why = self.tried.first().map_or("it does not do", |tried| &tried.why);
            return write!(
                f,
                "WARPWEFT_RUSTC is `{}`: {why}; name a rustc, or unset the variable so that the build helper looks for \
                 one",
                rustc.display()
            );
        }
        writeln!(
            f,
            "found no Rust compiler that can build for NVIDIA GPUs ({TARGET}). One of these mends it:"
        )?;
        for Remedy { command, effect } in remedies() {
            writeln!(f, "  {command}\n      {effect}")?;
        }
        f.write_str("Tried:")?;
        for Tried { what, why } in &self.tried {
            write!(f, "\n  {what}: {why}")?;
        }
        Ok(())
    }
}

/// A command that mends a missing device toolchain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// What to type.
    pub command: &'static str,
    /// What it does.
    pub effect: &'static str,
}

/// Lists the commands that mend a missing device toolchain, the usual one first.
pub fn remedies() -> &'static [Remedy] {
    const REMEDIES: &[Remedy] = &[
        Remedy {
            command: "rustup target add nvptx64-nvidia-cuda",
            effect: "adds the GPU target to rustup's toolchain",
        },
        Remedy {
            command: "rustup component add rust-src",
            effect: "or the sources, from which it is built once",
        },
        Remedy {
            command: "apt-get install -y --no-install-recommends rustc-web rust-web-src",
            effect: "or, on Debian, a second compiler with its sources",
        },
        Remedy {
            command: "RUSTFLAGS=\"--cfg sim\" cargo build",
            effect: "or runs the kernels on CPU threads, without GPU code",
        },
    ];
    REMEDIES
}

/// Finds the device toolchain, as the [module](self) says.
///
/// # Errors
/// [`NotFound`] with every compiler that was tried and why it does not do.
pub fn find() -> Result<Toolchain, NotFound> {
    Search::from_env().run()
}

/// Where to search; a test fills it with shims.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    pub explicit_rustc: Option<PathBuf>,
    pub explicit_sysroot: Option<PathBuf>,
    pub cargo_rustc: Option<PathBuf>,
    pub rustup_home: Option<PathBuf>,
    pub system_rustc: Option<PathBuf>,
}

/// The variables that decide what [`find`] finds.
pub(crate) const VARIABLES: &[&str] = &["WARPWEFT_RUSTC", "WARPWEFT_SYSROOT", "RUSTUP_HOME"];

impl Search {
    pub fn from_env() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        Search {
            explicit_rustc: set("WARPWEFT_RUSTC"),
            explicit_sysroot: set("WARPWEFT_SYSROOT"),
            cargo_rustc: Some(set("RUSTC").unwrap_or_else(|| "rustc".into())),
            rustup_home: set("RUSTUP_HOME").or_else(|| home.map(|home| home.join(".rustup"))),
            system_rustc: cfg!(unix).then(|| "/usr/bin/rustc".into()),
        }
    }

    pub fn run(&self) -> Result<Toolchain, NotFound> {
        let mut tried = Vec::new();
        let mut seen = Vec::new();
        let mut look = |rustc: &Path, sysroot: Option<&Path>, origin: &str| {
            match self.examine(rustc, sysroot, origin, &mut seen)? {
                Ok(toolchain) => return Some(toolchain),
                Err(why) => tried.push(Tried { what: format!("{origin} ({})", rustc.display()), why }),
            }
            None
        };
        let found = if let Some(rustc) = &self.explicit_rustc {
            look(rustc, None, "WARPWEFT_RUSTC")
        } else {
            let cargos = self.cargo_rustc.as_ref();
            let cargos = cargos.and_then(|rustc| look(rustc, None, "the rustc that cargo uses"));
            let rustups = cargos.or_else(|| {
                self.rustup_toolchains().into_iter().find_map(|sysroot| {
                    let name = sysroot.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    look(&rustc_in(&sysroot), Some(&sysroot), &format!("rustup's toolchain {name}"))
                })
            });
            let systems =
                || self.system_rustc.as_ref().and_then(|rustc| look(rustc, None, "the system's rustc"));
            rustups.or_else(systems)
        };
        found.ok_or_else(|| NotFound { tried, explicit: self.explicit_rustc.clone() })
    }

    /// The directories of rustup's toolchains: stable before nightly before the rest, and those that have the
    /// target before those that have to build it.
    fn rustup_toolchains(&self) -> Vec<PathBuf> {
        let Some(entries) =
            self.rustup_home.as_ref().and_then(|home| home.join("toolchains").read_dir().ok())
        else {
            return Vec::new();
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.sort_by_key(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rank =
                ["stable", "nightly"].iter().position(|channel| name.starts_with(channel)).unwrap_or(2);
            (!target_dir(path).is_dir(), rank, name)
        });
        found.retain(|path| rustc_in(path).is_file());
        found
    }

    /// Asks one compiler what it is and what it has; `None` when it has been asked under another name.
    ///
    /// Each call of a compiler costs 20 ms and more, so those without core are not asked for their version.
    fn examine(
        &self,
        rustc: &Path,
        sysroot: Option<&Path>,
        origin: &str,
        seen: &mut Vec<PathBuf>,
    ) -> Option<Result<Toolchain, String>> {
        let sysroot = match sysroot {
            Some(sysroot) => sysroot.to_owned(),
            None => match ask(rustc, &["--print", "sysroot"]) {
                Ok(answer) if Path::new(answer.trim()).is_dir() => PathBuf::from(answer.trim()),
                Ok(_) => return Some(Err("it is no Rust compiler".to_owned())),
                Err(why) => return Some(Err(why)),
            },
        };
        if seen.contains(&sysroot) {
            return None;
        }
        seen.push(sysroot.clone());
        // From here on not the proxy of rustup, which costs another 30 ms a call, but the compiler behind it.
        let direct = rustc_in(&sysroot);
        let rustc = if direct.is_file() { direct } else { rustc.to_owned() };
        Some(self.core_of(&sysroot).and_then(|core| {
            let version = ask(&rustc, &["-vV"])?;
            let release = release(&version)?;
            Ok(Toolchain { rustc, sysroot, release, version, core, origin: origin.to_owned() })
        }))
    }

    fn core_of(&self, sysroot: &Path) -> Result<Core, String> {
        if let Some(path) = &self.explicit_sysroot {
            return if has_core(path) {
                Ok(Core::Sysroot(path.clone()))
            } else {
                Err(format!("WARPWEFT_SYSROOT has no compiled core in {}", target_dir(path).display()))
            };
        }
        let sources = sysroot.join("lib/rustlib/src/rust/library");
        if has_core(sysroot) {
            Ok(Core::Installed)
        } else if sources.join("core/src/lib.rs").is_file() {
            Ok(Core::Sources(sources))
        } else {
            Err("it has neither the target nor the sources of core (rust-src)".to_owned())
        }
    }
}

/// The release in what `rustc -vV` prints, when it is new enough.
fn release(version: &str) -> Result<String, String> {
    let release = version
        .lines()
        .find_map(|line| line.strip_prefix("release: "))
        .ok_or_else(|| format!("`rustc -vV` names no release: {}", version.trim()))?;
    if minor_version(release).is_some_and(|found| found >= OLDEST) {
        return Ok(release.to_owned());
    }
    let (major, minor) = OLDEST;
    Err(format!("it is version {release}, and device code needs {major}.{minor} or newer"))
}

fn rustc_in(sysroot: &Path) -> PathBuf {
    sysroot.join("bin").join(format!("rustc{}", std::env::consts::EXE_SUFFIX))
}

fn target_dir(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

/// Whether a sysroot holds a compiled core for the device.
pub(crate) fn has_core(sysroot: &Path) -> bool {
    let Ok(entries) = target_dir(sysroot).read_dir() else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore") && name.ends_with(".rlib")
    })
}

/// Major and minor of `1.96.0` or `1.97.0-nightly`.
fn minor_version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn ask(rustc: &Path, args: &[&str]) -> Result<String, String> {
    let finished =
        process::run(process::clean(rustc).args(args), ASK_LIMIT).map_err(|error| match error {
            Error::Spawn { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                "there is no such file".to_owned()
            }
            other => other.to_string(),
        })?;
    if finished.success {
        Ok(finished.stdout)
    } else {
        let mut why = String::new();
        let _ = write!(why, "`rustc {}` failed: {}", args.join(" "), finished.said());
        Err(why)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::process::tests::write_script;

    /// A directory that looks like a toolchain whose rustc is a shell script.
    fn toolchain(root: &Path, release: &str, parts: &[&str]) -> PathBuf {
        let bin = root.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        for part in parts {
            let path = root.join("lib/rustlib").join(part);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let rustc = bin.join("rustc");
        let script = format!(
            "#!/bin/sh\ncase \"$1\" in --print) echo '{}';; *) printf 'rustc x\\nrelease: {release}\\n';; esac\n",
            root.display()
        );
        write_script(&rustc, &script);
        rustc
    }

    const CORE: &str = "nvptx64-nvidia-cuda/lib/libcore-0123.rlib";
    const SOURCES: &str = "src/rust/library/core/src/lib.rs";

    #[test]
    fn the_search_keeps_its_order() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("rustup home");
        let cargos = toolchain(&dir.path().join("of cargo"), "1.95.0", &[]);
        toolchain(&home.join("toolchains/stable-x"), "1.95.0", &[SOURCES]);
        let nightly = toolchain(&home.join("toolchains/nightly-x"), "1.97.0-nightly", &[CORE]);
        let system = toolchain(&dir.path().join("usr"), "1.96.0", &[SOURCES]);
        let mut search = Search {
            cargo_rustc: Some(cargos.clone()),
            rustup_home: Some(home.clone()),
            system_rustc: Some(system.clone()),
            ..Search::default()
        };

        let found = search.run().unwrap();
        assert_eq!(
            (found.rustc, found.core),
            (nightly, Core::Installed),
            "an installed target beats sources"
        );
        assert_eq!(found.origin, "rustup's toolchain nightly-x");

        std::fs::remove_dir_all(home.join("toolchains/nightly-x")).unwrap();
        let found = search.run().unwrap();
        assert_eq!(found.core, Core::Sources(home.join("toolchains/stable-x/lib/rustlib/src/rust/library")));

        std::fs::remove_dir_all(&home).unwrap();
        assert_eq!(search.run().unwrap().rustc, system);

        search.system_rustc = None;
        let lacking = search.run().unwrap_err().to_string();
        assert!(lacking.contains("neither the target nor the sources"), "{lacking}");
        for command in ["rustup target add", "rustup component add rust-src", "rustc-web", "--cfg sim"] {
            assert!(lacking.contains(command), "{command} is missing in {lacking}");
        }

        toolchain(&dir.path().join("of cargo"), "1.95.0", &[CORE]);
        let found = search.run().unwrap();
        assert_eq!((found.rustc, found.core), (cargos, Core::Installed));
    }

    #[test]
    fn an_old_compiler_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let old = toolchain(dir.path(), "1.63.0", &[CORE]);
        let search = Search { system_rustc: Some(old), ..Search::default() };
        let text = search.run().unwrap_err().to_string();
        assert!(text.contains("1.63.0") && text.contains("1.95 or newer"), "{text}");
    }

    #[test]
    fn an_explicit_compiler_is_the_only_one_tried() {
        let dir = tempfile::tempdir().unwrap();
        let good = toolchain(&dir.path().join("good"), "1.96.0", &[CORE]);
        let search = Search {
            explicit_rustc: Some(dir.path().join("missing")),
            cargo_rustc: Some(good.clone()),
            ..Search::default()
        };
        let error = search.run().unwrap_err();
        assert_eq!(error.tried.len(), 1);
        let missing = dir.path().join("missing").display().to_string();
        assert_eq!(
            error.to_string(),
            format!(
                "WARPWEFT_RUSTC is `{missing}`: there is no such file; name a rustc, or unset the variable so that the \
                 build helper looks for one"
            )
        );

        let other = dir.path().join("other");
        write_script(&other, "#!/bin/sh\n");
        let text = Search { explicit_rustc: Some(other), ..search.clone() }.run().unwrap_err().to_string();
        assert!(text.contains("other`: it is no Rust compiler; name a rustc"), "{text}");

        let search = Search { explicit_rustc: Some(good), ..search };
        assert_eq!(search.run().unwrap().origin, "WARPWEFT_RUSTC");
    }

    #[test]
    fn an_explicit_sysroot_must_hold_core() {
        let dir = tempfile::tempdir().unwrap();
        let rustc = toolchain(&dir.path().join("a"), "1.96.0", &[]);
        let sysroot = dir.path().join("b");
        let search = Search {
            explicit_rustc: Some(rustc),
            explicit_sysroot: Some(sysroot.clone()),
            ..Search::default()
        };
        assert!(search.run().unwrap_err().to_string().contains("WARPWEFT_SYSROOT has no compiled core"));
        toolchain(&sysroot, "1.96.0", &[CORE]);
        assert_eq!(search.run().unwrap().core, Core::Sysroot(sysroot));
    }

    #[test]
    fn a_failing_compiler_is_quoted() {
        let dir = tempfile::tempdir().unwrap();
        let rustc = toolchain(dir.path(), "1.96.0", &[CORE]);
        write_script(&rustc, "#!/bin/sh\necho 'no default toolchain is configured' >&2\nexit 1\n");
        let text = Search { cargo_rustc: Some(rustc), ..Search::default() }.run().unwrap_err().to_string();
        assert!(text.contains("no default toolchain is configured"), "{text}");
    }
}
