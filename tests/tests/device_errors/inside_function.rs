// says: `local` was not compiled for the GPU | ordinary function of a module
use warpweft::prelude::*;

fn main() {
    #[kernel]
    fn /*@*/local() {}
}
