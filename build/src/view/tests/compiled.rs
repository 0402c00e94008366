//! Views that a device compiler really compiles, each corner case a program of one package.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::support::Package;
use crate::compile;
use crate::inputs::Inputs;
use crate::table::{Mode, Status, Table, Target};
use crate::toolchain;

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"1.2.3\"\nedition = \"2024\"\n\
    [features]\non = []\noff = []\n[workspace]\n";

/// Builds the device code of a package; says why when there is no device toolchain.
fn build(package: &Package, test: &str) -> Option<Table> {
    if let Err(error) = toolchain::find() {
        println!("skipped: {test}: {error}");
        return None;
    }
    let bitcode = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/device/nvptx/bitcode.bc");
    if !bitcode.is_file() {
        println!("skipped: {test}: the crate warpweft does not lie beside this one");
        return None;
    }
    let standin = package.dir.join("standin/src/lib.rs");
    std::fs::create_dir_all(standin.parent()?).expect("a writable temporary directory");
    std::fs::write(&standin, include_str!("standin.rs")).expect("a writable temporary directory");
    let inputs = Inputs {
        out_dir: package.dir.join("target/out"),
        manifest_dir: package.dir.clone(),
        cargo: std::env::var_os("CARGO").map_or("cargo".into(), PathBuf::from),
        features: vec!["on".to_owned()],
        cfgs: Vec::new(),
        checks: false,
        sim: false,
        docs: false,
        arch: None,
        device_root: Some(standin),
        bitcode: Some(bitcode),
        jobs: 2,
        package_env: vec![("CARGO_PKG_VERSION".to_owned(), "1.2.3".to_owned())],
    };
    let outcome = compile::run(&inputs).expect("the package is in order");
    assert_eq!(outcome.table.mode, Mode::Ptx, "{:?}", outcome.table.remedy);
    Some(outcome.table)
}

/// A package whose programs are `programs`, by name.
fn programs(programs: &[(&str, &str)], others: &[(&str, &str)]) -> Package {
    let mut files = vec![("Cargo.toml".to_owned(), MANIFEST.to_owned())];
    for (name, source) in programs {
        files.push((format!("src/bin/{name}.rs"), (*source).to_owned()));
    }
    files.extend(others.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Package::new(&files)
}

/// The records of the plain variants, by crate name.
fn plain(table: &Table) -> BTreeMap<&str, &Target> {
    table
        .targets
        .iter()
        .filter(|target| !target.test)
        .map(|target| (target.crate_name.as_str(), target))
        .collect()
}

fn assert_compiled(table: &Table, name: &str) {
    let targets = plain(table);
    let target = targets.get(name).unwrap_or_else(|| panic!("{name} is not in the table"));
    let said: Vec<String> = target
        .errors
        .iter()
        // Under a condition that is off: its macro does not run either.
        .filter(|error| error.owner.name != "gone")
        .map(|error| format!("{}:{}:{}: {}", error.file.display(), error.line, error.column, error.message))
        .collect();
    assert_eq!((target.status, said.as_slice()), (Status::Ok, &[][..]), "{name}");
    assert!(!target.kernels.is_empty(), "{name}");
}

/// Programs that must compile.
const GOOD: &[(&str, &str)] = &[
    ("saxpy", "use warpweft::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) { *y = a * x[&i] + *y; }
}

fn main() { println!(\"{:?}\", vec![1]); }
"),
    ("bom_crlf", "\u{feff}#!/usr/bin/env größe\r\n//! ß\r\nuse warpweft::prelude::*;\r\nfn host() { let s = \"a\\\r\n  b\"; }\r\n\
        /* ß */ #[kernel]\r\nfn k(mut y: DisjointSlice<f32>) {\r\n  let ß = \"größe\"; if let Some(y) = y.get_mut(&thread::index()) { *y = ß.len() as f32 }\r\n}\r\nfn main() {}"),
    ("std_paths", "use warpweft::prelude::*;
use std::{collections::HashMap, f32::consts::{self, PI}, fmt::{self, Debug}, ops::{Add as Plus, Mul}};
use std::io::Write as _;
#[derive(Clone, Copy, Debug, PartialEq, Default, KernelArg)]
#[repr(C)]
struct V { x: f32 }
#[device]
impl Plus for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x } } }
#[device]
impl Mul<f32> for V { type Output = V; fn mul(self, o: f32) -> V { V { x: self.x.mul(o).add(1.0) } } }
impl fmt::Display for V { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, \"{}\", self.x) } }
#[kernel]
fn k(v: V, mut y: DisjointSlice<f32>) {
    use std::mem::size_of;
    let w = v + v * PI * consts::E * std::f32::consts::TAU;
    if let Some(y) = y.get_mut(&thread::index()) { *y = w.x + size_of::<V>() as f32 + std::cmp::max(1, 2) as f32; }
}
fn main() { let _: HashMap<u8, Box<dyn Debug>>; }
"),
    ("serde_like", "use warpweft::prelude::*;
use serde::{Deserialize, Serialize};
#[derive(Clone, Copy, Serialize, serde::Deserialize, Element)]
#[cfg_attr(feature = \"on\", derive(Debug, Serialize), serde(rename_all = \"camelCase\"))]
#[repr(C)]
#[serde(deny_unknown_fields)]
/// Doc.
struct P { #[serde(default, rename = \"ß\")] a: f32, #[doc = include_str!(\"none.md\")] b: u32 }
#[device]
#[derive(Clone, Copy, strum::Display, Default)]
enum E { #[default] #[strum(serialize = \"a\")] A, B }
#[kernel]
#[allow(clippy::needless_range_loop)]
#[tracing::instrument]
fn k(p: &[P], mut y: DisjointSlice<f32>) {
    let e = E::default();
    #[unroll(4)]
    for i in 0..4 { if let (E::A, Some(y)) = (e, y.get_mut(&thread::index())) { *y += p[i].a; } }
}
fn main() {}
"),
    ("modules", "use warpweft::prelude::*;
#[macro_use] #[path = \"../shared/math.rs\"] pub mod math;
mod inner { use super::*; pub mod deep { use crate::math::{length as len, print, Vec2}; use super::*;
    #[kernel] fn k(v: Vec2, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = len(v) } } } fn host() {} } fn host() {}
mod prelude { pub use crate::math::*; pub use std::collections::HashMap; }
#[cfg(feature = \"off\")] mod missing_file;
#[cfg(feature = \"on\")] mod on { use crate::prelude::*; use warpweft::prelude::*; #[kernel] fn k(v: Vec2, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = square!(length(v)) } } }
fn main() {}
"),
    ("macros", "use warpweft::prelude::*;
macro_rules! ops { ($($name:ident $op:tt),*) => { $( #[device] fn $name(a: f32, b: f32) -> f32 { a $op b } )* } }
#[device] mod made { ops!(add +, mul *); pub fn both(a: f32) -> f32 { mul(add(a, a), a) } }
macro_rules! twice { ($e:expr) => {{ $e; $e }} }
macro_rules! host { () => { println!(\"x\") } }
#[kernel]
fn k(x: &[f32], mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { twice!(*y += made::both(x[0])); assert!(*y > 0.0, \"{}\", 1); } }
fn main() { host!() }
"),
    ("methods", "use warpweft::prelude::*;
#[device] #[derive(Clone, Copy)] struct Grid<'a, const N: usize> { data: &'a [f32] }
impl<'a, const N: usize> Grid<'a, N> {
    #[device] fn at(self, x: usize, y: usize) -> f32 { self.data[y * N + x] }
    fn load(path: &std::path::Path) -> Vec<f32> { vec![] }
    #[device] const AREA: usize = N * N;
}
#[device] trait Shape { fn area(&self) -> f32; fn twice(&self) -> f32 { self.area() * 2.0 } }
#[derive(Clone, Copy, KernelArg)] #[repr(C)] struct Square<T>(T);
#[device] impl Shape for Square<f32> { fn area(&self) -> f32 { self.0 * self.0 } }
#[device] fn apply<S: Shape, F: Fn(f32) -> f32>(s: &S, f: F) -> f32 { f(s.twice()) }
#[device] type Real = f32;
#[device] static TABLE: [Real; 2] = [1.0, 2.0];
#[device] const N: usize = 4;
#[kernel]
fn k<'a>(s: Square<f32>, data: &'a [f32], mut y: DisjointSlice<'a, Real>) {
    let g = Grid::<N> { data };
    if let Some(y) = y.get_mut(&thread::index()) { *y = apply(&s, |a| a + g.at(1, 2)) + TABLE[Grid::<N>::AREA % 2]; }
}
fn main() {}
"),
    ("unsafe_kernel", "#[warpweft::kernel]
unsafe fn k(n: usize, größe: u64) { if n == 7 { unsafe { *(größe as *mut u32) = 1 } } }
#[cfg_attr(all(), warpweft::kernel)] #[cfg(feature = \"on\")] unsafe fn r#match(n: u64) { unsafe { *(n as *mut u32) = 1 } }
#[cfg(feature = \"off\")] #[warpweft::kernel] fn gone(x: f32) {}
fn main() {}
"),
    ("env", "#[warpweft::kernel]
unsafe fn k(n: u64) { unsafe { *(n as *mut u8) = env!(\"CARGO_PKG_VERSION\").as_bytes()[0] } }
fn main() {}
"),
    ("uses_lib", "use warpweft::prelude::*;
use demo::{hosted, Pair, shapes::{self, area}};
#[kernel]
fn k(p: Pair, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = area(p) + shapes::area(p) + demo::SCALE; } }
fn main() { hosted(); }
"),
    ("orders", "use std::sync::atomic::{AtomicUsize, Ordering, AtomicU64 as A};
static COUNT: AtomicUsize = AtomicUsize::new(0);
#[warpweft::kernel]
unsafe fn k(n: u64) { std::sync::atomic::fence(Ordering::SeqCst); unsafe { *(n as *mut u32) = 1 } }
fn main() { COUNT.fetch_add(1, Ordering::Relaxed); }
"),
];

const SHARED: &str = "//! Shared by programs.
use std::fmt;
use warpweft::prelude::*;
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Vec2 { pub x: f32, pub y: f32 }
#[device]
pub fn length(v: Vec2) -> f32 { v.x * v.x + v.y * v.y }
pub fn print(v: Vec2) { println!(\"{}\", v.x); }
impl fmt::Display for Vec2 { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(\"v\") } }
#[macro_export] macro_rules! square { ($e:expr) => { $e * $e } }
";

const LIBRARY: &str = "use warpweft::prelude::*;
#[derive(Clone, Copy, KernelArg)] #[repr(C)] pub struct Pair { pub a: f32, pub b: f32 }
#[device] pub const SCALE: f32 = 2.0;
pub fn hosted() {}
pub mod shapes { use super::Pair; #[warpweft::device] pub fn area(p: Pair) -> f32 { p.a * p.b } pub fn perimeter() {} }
#[kernel] pub fn k(p: Pair, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = p.a } }
#[cfg(test)] mod tests { use super::*; #[kernel] fn t(mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = SCALE } } }
";

#[test]
fn corner_cases_compile() {
    let others = [
        ("src/shared/math.rs", SHARED),
        ("src/lib.rs", LIBRARY),
        (
            "tests/whole.rs",
            "#[path = \"../src/shared/math.rs\"] mod math; use math::*; use demo::SCALE;\n#[warpweft::kernel] unsafe fn k(v: Vec2, p: u64) { unsafe { *(p as *mut f32) = length(v) * SCALE } }\n",
        ),
        ("examples/other.rs", "fn main() {}"),
    ];
    let package = programs(GOOD, &others);
    let Some(table) = build(&package, "corner_cases_compile") else { return };
    for (name, _) in GOOD {
        assert_compiled(&table, name);
    }
    assert_compiled(&table, "demo");
    let targets = plain(&table);
    assert_eq!(targets["other"].status, Status::Empty);
    let symbols = |target: &Target| -> Vec<String> {
        target.kernels.iter().map(|kernel| kernel.symbol.clone()).collect()
    };
    assert_eq!(symbols(targets["modules"]), ["modules__inner__deep__k", "modules__on__k"]);
    let tests: Vec<&Target> = table.targets.iter().filter(|target| target.test).collect();
    let of = |name: &str| tests.iter().find(|target| target.crate_name == name).expect("a test variant");
    assert_eq!(
        (of("demo").status, symbols(of("demo"))),
        (Status::Ok, vec!["demo__k".into(), "demo__tests__t".into()])
    );
    assert_eq!((of("whole").status, symbols(of("whole"))), (Status::Ok, vec!["whole__k".into()]));
    for target in table.targets.iter().filter(|target| target.status == Status::Ok) {
        let ptx = std::fs::read_to_string(package.dir.join("target/out/warpweft").join(&target.image));
        let ptx = ptx.expect("the image is where the table says");
        for kernel in target.kernels.iter().filter(|kernel| kernel.owner.name != "gone") {
            assert!(ptx.contains(&format!(".visible .entry {}", kernel.symbol)), "{}", kernel.symbol);
        }
    }
}

/// Programs that must not compile, and where and how they are explained.
const BAD: &[(&str, &str, &[(usize, usize, &str)])] = &[
    ("helper", "use std::collections::{BTreeMap, HashMap};
fn helper(x: f32) -> f32 { x }
mod util { pub fn far() {} pub const LIMIT: u32 = 3; pub struct Table; #[warpweft::device] pub fn near() {} pub mod host { pub fn g() {} } }
use util::{far, host};
/* ß */ #[warpweft::kernel] fn k(x: f32) { let ß = helper(x); far(); util::far(); crate::util::LIMIT; let t: util::Table; host::g();
    let m: HashMap<u32, u32> = HashMap::new(); let b = BTreeMap::<u8, u8>::new(); }
fn main() {}
", &[
        (5, 52, "`helper` is called from kernel `k`: add #[device] to the function in line 2"),
        (5, 63, "`far` is called from kernel `k`: add #[device] to the function in line 3"),
        (5, 76, "`far` is called from kernel `k`: add #[device]"),
        (5, 96, "`LIMIT` is used in kernel `k`: add #[device] to the constant in line 3"),
        (5, 116, "`Table` is used in kernel `k`: add #[device] to the struct in line 3"),
        (5, 123, "module `host` (line 3), used in kernel `k`, holds no device code"),
        (6, 12, "`HashMap`, imported in line 1, is host-only: device code has no allocator"),
        (6, 32, "`HashMap`, imported in line 1, is host-only: device code has no allocator"),
        (6, 56, "`BTreeMap`, imported in line 1, is host-only"),
    ]),
    ("std_names", "#[warpweft::kernel] fn k(x: f32) {
    println!(\"{x}\"); let v = vec![1]; let s = String::new(); let b = Box::new(1);
    let v: Vec<u8>; let s = format!(\"x\"); let t = std::time::Instant::now();
    let m = std::collections::HashMap::<u8, u8>::new(); std::thread::yield_now(); std::io::stdout(); let a: alloc::vec::Vec<u8>;
    let p = std::boxed::Box::new(1); eprintln!(\"x\"); let x = x.sin(); dbg!(x); let o = \"x\".to_string();
}
fn main() {}
", &[
        (2, 5, "`println!` prints, which only the host does"),
        (2, 30, "`vec!` allocates, and device code has no allocator"),
        (2, 47, "`String` is host-only: device code has no allocator"),
        (2, 70, "`Box` is host-only"),
        (3, 12, "`Vec` is host-only"),
        (3, 29, "`format!` allocates"),
        (3, 62, "`std::time::Instant` is host-only: time kernels on the host"),
        (4, 18, "`std::collections` is host-only"),
        (4, 62, "`std::thread` is host-only"),
        (4, 92, "`std::io::stdout` is host-only: files"),
        (4, 109, "`alloc` is host-only: device code has no allocator"),
        (5, 18, "`std::boxed` is host-only"),
        (5, 38, "`eprintln!` prints"),
        (5, 64, "`sin` of `f32` is std's own method"),
        (5, 71, "`dbg!` prints"),
        (5, 92, "`to_string` is of `alloc`"),
    ]),
    ("types", "use warpweft::prelude::*;
use std::ops::Add;
#[device] #[derive(Clone, Copy)] struct S(f32);
impl S { fn host(&self) {} fn new() -> S { S(0.0) } #[device] fn dev(&self) {} }
impl Add for S { type Output = S; fn add(self, o: S) -> S { S(self.0 + o.0) } }
trait Area { fn area(&self) -> f32; }
impl Area for S { fn area(&self) -> f32 { 1.0 } }
#[device] trait Known { fn known(&self) {} }
impl Known for S {}
#[kernel] fn k(x: f32) { let s = S(x); s.dev(); s.host(); let t = S::new(); s + s; s.area(); s.known(); let n: u32 = x; }
fn main() {}
", &[
        (10, 51, "`host` is called from kernel `k`: add #[device] to the method in line 4"),
        (10, 70, "`new` is called from kernel `k`: add #[device] to the method in line 4"),
        (10, 79, "`Add for S` is used in kernel `k`: add #[device] to the impl in line 5"),
        (10, 86, "`area` is called from kernel `k`: add #[device] to the method in line 7"),
        (10, 96, "`Known for S` is used in kernel `k`: add #[device] to the impl in line 9"),
        (10, 118, "in device code: mismatched types: expected `u32`, found `f32`"),
    ]),
    ("places", "\u{feff}use warpweft::prelude::*;\r\nmod a { use super::*;\r\n  /* ß */ #[device] fn f() -> f32 { \"ß\"; größe } } mod b { /* ß */ #[warpweft::kernel] fn k(x: f32) { gone() } }\r\n\
        macro_rules! m { () => { nowhere() } }\r\n#[kernel] fn k(x: f32) { m!() }\r\n#[device] fn g() { m!() }\r\nfn main() {}", &[
        (3, 42, "in device code: cannot find value `größe` in this scope"),
        (3, 103, "in device code: cannot find function `gone` in this scope"),
        (5, 26, "in device code: cannot find function `nowhere` in this scope"),
        (6, 20, "in device code: cannot find function `nowhere` in this scope"),
    ]),
    ("parameters", "#[warpweft::device] struct Odd;
mod m { use super::Odd; #[warpweft::kernel] fn k(x: f32, y: Odd) {} }
#[warpweft::kernel] fn k(/* ß */ y: Odd) {}
fn main() {}
", &[
        (2, 61, "in device code: the trait bound `Odd: KernelArg` is not satisfied"),
        (3, 37, "in device code: the trait bound `Odd: KernelArg` is not satisfied"),
    ]),
    (
        "of_library",
        "use demo::{hosted, shapes::{area, perimeter}};
#[warpweft::kernel] fn k() { hosted(); perimeter(); demo::shapes::perimeter(); demo::missing(); use std::rc::Rc; }
fn main() {}
",
        &[
            (2, 30, "`hosted`, imported in line 1, is not device code of crate `demo`: add #[device] to it there"),
            (2, 40, "`perimeter`, imported in line 1, is not device code of crate `demo`"),
            (2, 67, "`demo::shapes::perimeter` is not device code of crate `demo`"),
            (2, 86, "`demo::missing` is not device code of crate `demo`"),
            (2, 106, "`std::rc` is host-only"),
        ],
    ),
    ("derive_only", "#[derive(Clone, Copy, warpweft::KernelArg)] #[repr(C)] struct S { v: std::path::PathBuf2, a: Missing }
#[warpweft::kernel] fn k() {}
fn main() {}
", &[
        (1, 75, "`std::path` is host-only"),
        (1, 94, "in device code: cannot find type `Missing` in this scope"),
    ]),
    ("atomics", "use std::sync::atomic::{AtomicU32, Ordering};
static HOST: AtomicU32 = AtomicU32::new(0);
#[warpweft::device] static N: AtomicU32 = AtomicU32::new(0);
#[warpweft::kernel] fn k() { N.fetch_add(1, Ordering::Relaxed); HOST.load(Ordering::Relaxed); }
fn main() {}
", &[
        (3, 31, "`AtomicU32` of core loses its memory ordering on the GPU"),
        (3, 43, "`AtomicU32` of core loses its memory ordering on the GPU"),
        (4, 65, "`HOST` is used in kernel `k`: add #[device] to the static in line 2"),
    ]),
];

#[test]
fn faults_are_explained_where_they_stand() {
    let programs_of: Vec<(&str, &str)> = BAD.iter().map(|(name, source, _)| (*name, *source)).collect();
    let package = programs(
        &programs_of,
        &[("src/lib.rs", LIBRARY), ("src/bin/good.rs", "#[warpweft::kernel] fn k() {}\nfn main() {}\n")],
    );
    let Some(table) = build(&package, "faults_are_explained_where_they_stand") else { return };
    let targets = plain(&table);
    assert_compiled(&table, "good");
    let mut report = String::new();
    for (name, _, expected) in BAD {
        let target = targets[name];
        assert_eq!(target.status, Status::Failed, "{name}");
        let path = package.dir.join(format!("src/bin/{name}.rs"));
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        for error in &target.errors {
            assert_eq!((&error.file, &error.owner.file), (&path, &path), "{name}");
            found.push((error.line, error.column, &error.message));
        }
        found.sort_unstable();
        let same = found.len() == expected.len()
            && found.iter().zip(*expected).all(|(found, expected)| {
                (found.0, found.1) == (expected.0, expected.1) && found.2.starts_with(expected.2)
            });
        if !same {
            report += &format!("{name}: expected\n{expected:#?}\nfound\n{found:#?}\n");
        }
    }
    assert!(report.is_empty(), "{report}");
}
