//! Packages written for a test, and a probe that answers from a list.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::view::{Diagnostic, Probe, Target, View, make};

/// A directory with source files, removed at the end of the test.
pub(super) struct Package {
    pub(super) dir: PathBuf,
}

impl Package {
    pub(super) fn new(files: &[(&str, &str)]) -> Package {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("warpweft view {}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        for (path, text) in files {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&dir)).expect("a writable temporary directory");
            std::fs::write(path, text).expect("a writable temporary directory");
        }
        Package { dir }
    }

    pub(super) fn target(&self, root: &str) -> Target {
        Target {
            crate_name: "demo".to_owned(),
            root: self.dir.join(root),
            test: false,
            externs: vec!["warpweft".to_owned(), "half".to_owned()],
            dependencies: vec!["rayon".to_owned()],
        }
    }

    pub(super) fn make(&self, target: &Target) -> Result<View, Vec<Diagnostic>> {
        make(target, &Listed::default())
    }

    pub(super) fn view(&self, root: &str) -> View {
        self.make(&self.target(root)).expect("the root file parses")
    }
}

impl Drop for Package {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A device that has these names of other crates and no others. Remembers what it was asked.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) asked: RefCell<Vec<String>>,
}

impl Probe for Listed {
    fn resolves(&self, leaves: &[String]) -> Vec<bool> {
        const KNOWN: [&str; 17] = [
            "core::ops::Mul",
            "half::f16",
            "std::f32::consts::PI",
            "std::f32::consts::*",
            "std::fmt",
            "std::fmt::{self}",
            "std::mem",
            "std::ops::Add",
            "std::ops::AddAssign",
            "std::ops::Mul",
            "std::sync::atomic::Ordering",
            "std::marker::PhantomData",
            "warpweft",
            "warpweft::prelude::*",
            "warpweft::prelude::thread::index",
            "warpweft::device::thread",
            "warpweft::DisjointSlice",
        ];
        self.asked.borrow_mut().extend_from_slice(leaves);
        leaves.iter().map(|leaf| KNOWN.contains(&leaf.as_str())).collect()
    }
}

/// The text of the view's file that stands for `source`.
pub(super) fn text<'a>(view: &'a View, package: &Package, source: &str) -> &'a str {
    let path = package.dir.join(source);
    let file = view.files.iter().find(|file| view.base.join(&file.relative) == path);
    file.map(|file| file.text.as_str())
        .unwrap_or_else(|| panic!("{} is not in the view", Path::new(source).display()))
}
