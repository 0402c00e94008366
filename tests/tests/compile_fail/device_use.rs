use warpweft::prelude::*;

#[device]
use std::ops::Add;

fn main() {}
