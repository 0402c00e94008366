//! The cache of compiled things that all packages and profiles of a user share.
//!
//! It lies in `WARPWEFT_CACHE`, or else in `warpweft/` of the user's cache directory (`$XDG_CACHE_HOME` or
//! `~/.cache` on Linux). Each entry is a directory whose name holds a hash of everything that went into it, so
//! entries are never changed and never stale. An entry is built under a lock, in a temporary directory,
//! and renamed into place whole: a build that is killed leaves nothing that a later one would mistake for an
//! entry.

use std::fs::{File, TryLockError};
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use etcetera::BaseStrategy as _;
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use crate::error::{Error, Result, io};

/// The layout of the cache; another layout gets another directory.
const LAYOUT: &str = "v1";

/// The longest that one entry may take another process to build.
const LOCK_LIMIT: Duration = Duration::from_secs(900);

/// How long an entry stays that no build uses.
const KEPT: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The variables that decide where the cache lies.
pub(crate) const VARIABLES: &[&str] = &["WARPWEFT_CACHE"];

/// Returns the directory of the cache, whether or not it is there.
///
/// # Errors
/// No home directory is known and `WARPWEFT_CACHE` is not set.
pub fn directory() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("WARPWEFT_CACHE").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let base = etcetera::choose_base_strategy().map_err(|error| Error::Setting {
        setting: "WARPWEFT_CACHE".to_owned(),
        value: String::new(),
        reason: format!(
            "not set, and there is no home directory for a cache ({error}): set it to a directory"
        ),
    })?;
    Ok(base.cache_dir().join("warpweft"))
}

/// Removes the whole cache and returns the number of bytes that were freed.
///
/// # Errors
/// A file cannot be removed.
pub fn clean() -> Result<u64> {
    let directory = directory()?;
    let bytes = size_of_tree(&directory);
    match std::fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("remove", directory)(error)),
        _ => Ok(bytes),
    }
}

/// Returns the size of a directory tree in bytes; 0 when it is not there.
pub fn size_of_tree(path: &Path) -> u64 {
    let Ok(entries) = path.read_dir() else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of_tree(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// An open cache.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Opens the user's cache, or one in `fallback` when the user's directory cannot be written.
    pub fn open(fallback: &Path) -> Result<Self> {
        let writable = |root: PathBuf| {
            std::fs::create_dir_all(&root).and_then(|()| {
                let probe = root.join(format!(".writable-{}", std::process::id()));
                std::fs::write(&probe, "")?;
                std::fs::remove_file(&probe)
            })?;
            Ok(Cache { root })
        };
        match directory() {
            Ok(directory) => match writable(directory.join(LAYOUT)) {
                Ok(cache) => Ok(cache),
                Err(_) => writable(fallback.join(LAYOUT)).map_err(io("create", fallback)),
            },
            Err(_) => writable(fallback.join(LAYOUT)).map_err(io("create", fallback)),
        }
    }

    /// Returns the entry of this name, which `make` builds in the directory it is given when it is not there.
    pub fn entry(&self, name: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let entry = self.root.join(name);
        if entry.is_dir() {
            mark_used(&entry);
            return Ok(entry);
        }
        let lock_path = self.root.join(format!("{name}.lock"));
        let lock = File::create(&lock_path).map_err(io("create", &lock_path))?;
        wait_for(&lock, &lock_path)?;
        if entry.is_dir() {
            return Ok(entry);
        }
        self.remove_leftovers(name);
        let building = self.root.join(format!(".{name}-{}", std::process::id()));
        std::fs::create_dir_all(&building).map_err(io("create", &building))?;
        match make(&building) {
            Ok(()) => match std::fs::rename(&building, &entry) {
                Ok(()) => {}
                // Where locks do not work (some network file systems), another process may have been faster.
                Err(_) if entry.is_dir() => drop(std::fs::remove_dir_all(&building)),
                Err(error) => return Err(io("move into place", &entry)(error)),
            },
            Err(error) => {
                // The first error is the one worth telling; what stays behind is removed next time.
                let _ = std::fs::remove_dir_all(&building);
                return Err(error);
            }
        }
        self.remove_unused(SystemTime::now());
        Ok(entry)
    }

    /// Removes entries that no build has used for [`KEPT`].
    fn remove_unused(&self, now: SystemTime) {
        for entry in self.root.read_dir().into_iter().flatten().flatten() {
            let used = entry.metadata().and_then(|metadata| metadata.modified()).unwrap_or(now);
            if now.duration_since(used).is_ok_and(|age| age > KEPT) {
                // What cannot be removed now is tried again after the next build.
                let _ = if entry.path().is_dir() {
                    std::fs::remove_dir_all(entry.path())
                } else {
                    std::fs::remove_file(entry.path())
                };
            }
        }
    }

    /// Removes what killed builds of this entry left. The caller holds the entry's lock.
    fn remove_leftovers(&self, name: &str) {
        let prefix = format!(".{name}-");
        for entry in self.root.read_dir().into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // A compiler that outlived its killed parent may still write there; the name is not used again.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Sets the time of modification of an entry, by which unused ones are known.
fn mark_used(entry: &Path) {
    // In a cache that is shared read-only nothing is ever removed either.
    let _ = File::open(entry).and_then(|directory| directory.set_modified(SystemTime::now()));
}

fn wait_for(lock: &File, path: &Path) -> Result<()> {
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_LIMIT => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Timeout {
                    program: format!("the process that holds {}", path.display()),
                    limit_s: LOCK_LIMIT.as_secs(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(io("lock", path)(error)),
        }
    }
}

/// A hash of everything that decides what a compiled thing contains. It is the same on every machine.
#[derive(Clone, Default)]
pub(crate) struct Key(SipHasher13);

impl Key {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one part; the length goes in as well, so that moving a border changes the hash.
    pub fn add(&mut self, part: impl AsRef<[u8]>) -> &mut Self {
        let part = part.as_ref();
        self.0.write_u64(part.len() as u64);
        self.0.write(part);
        self
    }

    /// Adds one part, in passing.
    pub fn with(mut self, part: impl AsRef<[u8]>) -> Self {
        self.add(part);
        self
    }

    /// Adds the path, size and contents of a file.
    pub fn add_file(&mut self, path: &Path) -> Result<&mut Self> {
        let bytes = std::fs::read(path).map_err(io("read", path))?;
        Ok(self.add(path.as_os_str().as_encoded_bytes()).add(bytes))
    }

    /// 32 hexadecimal digits.
    pub fn finish(&self) -> String {
        format!("{:032x}", self.0.finish128().as_u128())
    }

    /// 16 hexadecimal digits.
    pub fn finish_short(&self) -> String {
        let mut long = self.finish();
        long.truncate(16);
        long
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn cache(dir: &Path) -> Cache {
        Cache { root: dir.to_owned() }
    }

    #[test]
    fn an_entry_is_built_once_by_many_threads() {
        let dir = tempfile::tempdir().unwrap();
        let built = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let entry = cache(dir.path()).entry("thing-1", |path| {
                        built.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(50));
                        std::fs::write(path.join("file"), "whole").map_err(io("write", path))
                    });
                    assert_eq!(std::fs::read_to_string(entry.unwrap().join("file")).unwrap(), "whole");
                });
            }
        });
        assert_eq!(built.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_failed_or_killed_build_leaves_no_entry() {
        let dir = tempfile::tempdir().unwrap();
        let cache = cache(dir.path());
        let failed = cache.entry("thing-1", |path| {
            std::fs::write(path.join("half"), "").unwrap();
            Err(Error::NotABuildScript("OUT_DIR"))
        });
        assert!(failed.is_err());
        // What a killed build leaves: a temporary directory of another process.
        let killed = dir.path().join(".thing-1-99999999");
        std::fs::create_dir(&killed).unwrap();
        std::fs::write(killed.join("half"), "").unwrap();

        let entry = cache.entry("thing-1", |_| Ok(())).unwrap();
        assert_eq!(entry.read_dir().unwrap().count(), 0);
        assert!(!killed.exists());
    }

    #[test]
    fn entries_that_nobody_uses_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = cache(dir.path());
        let (old, used) =
            (cache.entry("old-1", |_| Ok(())).unwrap(), cache.entry("used-1", |_| Ok(())).unwrap());
        let long_ago = SystemTime::now() - KEPT - Duration::from_secs(60);
        for entry in [&old, &used] {
            File::open(entry).unwrap().set_modified(long_ago).unwrap();
        }
        cache.entry("used-1", |_| unreachable!("it is there")).unwrap();
        cache.entry("new-1", |_| Ok(())).unwrap();
        assert!(!old.exists() && used.exists());
    }

    #[test]
    fn borders_between_parts_count() {
        let hash = |parts: &[&str]| {
            let mut key = Key::new();
            for part in parts {
                key.add(part);
            }
            key.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_eq!(hash(&["ab", "c"]), hash(&["ab", "c"]));
        assert_eq!(hash(&[]).len(), 32);
    }
}
