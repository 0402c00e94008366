use demo::{hosted, shapes::{area, perimeter}};
#[warpweft::kernel] fn k() { hosted(); perimeter(); demo::shapes::perimeter(); demo::missing(); use std::rc::Rc; }
fn main() {}
//~ 2:30 `hosted`, imported in line 1, is not device code of crate `demo`: add #[device] to it there
//~ 2:40 `perimeter`, imported in line 1, is not device code of crate `demo`
//~ 2:67 `demo::shapes::perimeter` is not device code of crate `demo`
//~ 2:86 `demo::missing` is not device code of crate `demo`
//~ 2:106 `std::rc` is host-only
