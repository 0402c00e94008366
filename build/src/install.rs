//! Installs a device toolchain, by the first way that works, and makes it ready.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::cache::{self, Cache};
use crate::process;
use crate::sysroot;
use crate::toolchain::{self, Core, NotFound, TARGET, Toolchain};

/// Every way to install a device toolchain failed. The text lists the attempts and what to type.
#[derive(Debug)]
#[non_exhaustive]
pub struct InstallError {
    /// The commands that were run, and what became of each.
    pub attempts: Vec<String>,
    /// What the last search found lacking.
    pub lacking: NotFound,
}

impl std::error::Error for InstallError {}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no device toolchain could be installed:")?;
        for attempt in &self.attempts {
            write!(f, "\n  {attempt}")?;
        }
        write!(f, "\n{}", self.lacking)
    }
}

/// One command that may install a toolchain.
struct Way {
    program: &'static str,
    args: &'static [&'static str],
    /// A command that has to come before it.
    before: Option<&'static [&'static str]>,
    limit_s: u64,
}

const RUSTUP: &[Way] = &[
    Way { program: "rustup", args: &["target", "add", TARGET], before: None, limit_s: 300 },
    Way { program: "rustup", args: &["component", "add", "rust-src"], before: None, limit_s: 300 },
];

const DEBIAN: Way = Way {
    program: "apt-get",
    args: &["install", "-y", "--no-install-recommends", "rustc-web", "rust-web-src"],
    before: Some(&["update"]),
    limit_s: 900,
};

/// Returns the device toolchain, installing one when there is none: through rustup, or else, as root on
/// Debian, through apt-get. `report` is told each step in one line.
///
/// # Errors
/// [`InstallError`] with every command that was tried and what it said.
pub fn install(report: &mut dyn FnMut(&str)) -> Result<Toolchain, InstallError> {
    let mut lacking = match toolchain::find() {
        Ok(found) => return Ok(found),
        // Whatever is installed, the search would not look at it.
        Err(lacking) if lacking.explicit.is_some() => {
            return Err(InstallError { attempts: Vec::new(), lacking });
        }
        Err(lacking) => lacking,
    };
    let mut attempts = Vec::new();
    let mut ways: Vec<&Way> = RUSTUP.iter().collect();
    if Path::new("/etc/debian_version").exists() {
        if is_root() {
            ways.push(&DEBIAN);
        } else {
            attempts.push("apt-get: not tried, since it needs root".to_owned());
        }
    }
    for way in ways {
        match attempt(way, report) {
            Ok(()) => match toolchain::find() {
                Ok(found) => return Ok(found),
                Err(still) => {
                    attempts
                        .push(format!("{}: succeeded, but the toolchain still does not do", way.command()));
                    lacking = still;
                }
            },
            Err(why) => {
                let attempt = format!("{}: {why}", way.command());
                report(&attempt);
                attempts.push(attempt);
            }
        }
    }
    Err(InstallError { attempts, lacking })
}

/// Makes a toolchain ready: builds core for the device into the cache where only its sources are there. That
/// takes half a minute, once for each compiler; the first build of a package would do it otherwise.
///
/// # Errors
/// Core does not compile, or the cache cannot be written.
pub fn prepare(toolchain: &Toolchain, report: &mut dyn FnMut(&str)) -> crate::Result<()> {
    let directory = cache::directory()?;
    let cache = Cache::open(&directory)?;
    if matches!(toolchain.core, Core::Sources(_)) {
        report(&format!("core for {TARGET}, from the sources of rustc {}", toolchain.release));
    }
    sysroot::prepare(toolchain, &cache).map(drop)
}

impl Way {
    fn command(&self) -> String {
        format!("{} {}", self.program, self.args.join(" "))
    }
}

fn attempt(way: &Way, report: &mut dyn FnMut(&str)) -> Result<(), String> {
    if let Some(args) = way.before {
        step(way, args, report)?;
    }
    step(way, way.args, report)
}

fn step(way: &Way, args: &[&str], report: &mut dyn FnMut(&str)) -> Result<(), String> {
    report(&format!("{} {}", way.program, args.join(" ")));
    let mut command = process::clean(way.program);
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    let finished =
        process::run(&mut command, Duration::from_secs(way.limit_s)).map_err(|error| error.to_string())?;
    if finished.success { Ok(()) } else { Err(finished.said()) }
}

/// Whether this process may install packages. `id -u` spares a dependency on libc.
fn is_root() -> bool {
    process::run(process::clean("id").arg("-u"), Duration::from_secs(10))
        .is_ok_and(|id| id.stdout.trim() == "0")
}
