#[warpweft::kernel] fn k(x: f32) {
    println!("{x}"); let v = vec![1]; let s = String::new(); let b = Box::new(1);
    let v: Vec<u8>; let s = format!("x"); let t = std::time::Instant::now();
    let m = std::collections::HashMap::<u8, u8>::new(); std::thread::yield_now(); std::io::stdout(); let a: alloc::vec::Vec<u8>;
    let p = std::boxed::Box::new(1); eprintln!("x"); let x = x.sin(); dbg!(x); let o = "x".to_string();
}
fn main() {}
//~ 2:5 `println!` prints, which only the host does
//~ 2:30 `vec!` allocates, and device code has no allocator
//~ 2:47 `String` is host-only: device code has no allocator
//~ 2:70 `Box` is host-only
//~ 3:12 `Vec` is host-only
//~ 3:29 `format!` allocates
//~ 3:62 `std::time::Instant` is host-only: time kernels on the host
//~ 4:18 `std::collections` is host-only
//~ 4:62 `std::thread` is host-only
//~ 4:92 `std::io::stdout` is host-only: files
//~ 4:109 `alloc` is host-only: device code has no allocator
//~ 5:18 `std::boxed` is host-only
//~ 5:38 `eprintln!` prints
//~ 5:64 `sin` of `f32` is std's own method
//~ 5:71 `dbg!` prints
//~ 5:92 `to_string` is of `alloc`
