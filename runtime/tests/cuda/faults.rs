//! Faults that end a context, in processes of their own.

use std::process::Command;

use warpweft::__private::{Kernel, launch};
use warpweft::prelude::*;
use warpweft::{Error, LostCause};

use super::{gpu, kernel, works};

/// Runs the ignored test `name` of this program in a process of its own.
fn alone(name: &str) {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .expect("a process");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success() && text.contains("1 passed"), "{}\n{text}", output.status);
}

#[test]
fn a_fault_is_told_once_with_its_kernel() {
    let Some(_gpu) = gpu("a_fault_is_told_once") else { return };
    alone("faults::process_with_a_wild_store");
}

#[test]
#[ignore = "runs in a process of its own"]
fn process_with_a_wild_store() {
    static WILD: Kernel = kernel("wild");
    let Some(gpu) = gpu("process_with_a_wild_store") else { return };
    let (stream, other) = (gpu.stream(), gpu.stream());
    let buffer = stream.zeros::<f32>(100).expect("zeros");
    works(&stream);
    launch::<(), _>(&stream, Grid::new(1, 1), &WILD, (), |_| ()).expect("launch");
    let result = stream.synchronize();
    let Err(Error::DeviceFault { kernel, status, .. }) = &result else { panic!("{result:?}") };
    assert!(kernel.contains("wild") && status.contains("ILLEGAL_ADDRESS"), "{kernel}: {status}");
    for stream in [&stream, &other] {
        let result = stream.synchronize();
        assert!(matches!(result, Err(Error::ContextLost { cause: LostCause::Fault, .. })), "{result:?}");
    }
    drop((buffer, stream, other, gpu));
}

#[test]
#[cfg(unix)]
fn the_child_of_a_fork_gets_an_error() {
    let Some(_gpu) = gpu("the_child_of_a_fork") else { return };
    alone("faults::process_that_forks");
}

#[test]
#[cfg(unix)]
#[ignore = "runs in a process of its own"]
fn process_that_forks() {
    use std::ffi::c_int;

    // As POSIX declares them.
    unsafe extern "C" {
        fn fork() -> c_int;
        fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn _exit(status: c_int) -> !;
    }

    let Some(gpu) = gpu("process_that_forks") else { return };
    let stream = gpu.stream();
    works(&stream);
    let buffer = stream.zeros::<f32>(100).expect("zeros");
    // SAFETY: the child only makes calls that answer at once and leaves.
    let child = unsafe { fork() };
    if child == 0 {
        let told = stream.synchronize() == Err(Error::Forked)
            && matches!(gpu.device().stream(), Err(Error::Forked))
            && matches!(Device::cuda(0), Err(Error::Forked))
            && gpu.device().reset() == Err(Error::Forked)
            && stream.download(&buffer) == Err(Error::Forked);
        drop((buffer, stream));
        // SAFETY: ends the child, without what the parent has to do at its exit.
        unsafe { _exit(if told { 0 } else { 1 }) };
    }
    assert!(child > 0);
    let mut status = -1;
    // SAFETY: the pointer is valid for a write.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child saw something else");
    works(&stream);
    drop(buffer);
}
