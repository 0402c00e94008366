//! Tests of the device view.

mod blanking;
mod compiled;
mod explaining;
mod imports;
mod items;
mod modules;
mod shims;
mod support;
