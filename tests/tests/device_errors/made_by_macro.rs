// says: `made` was not compiled for the GPU | made by a macro
use warpweft::prelude::*;

macro_rules! make {
    ($name:ident) => {
        #[kernel]
        fn $name() {}
    };
}
make!(/*@*/made);

fn main() {}
