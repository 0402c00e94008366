//! How a panic that a GPU has recorded finds the launch it belongs to.

use std::ptr::NonNull;
use std::sync::Arc;

use crate::host::kernel::{Image, Kernel};
use crate::host::stand_in::StandIn;
use crate::host::{Error, Grid, KernelPanic, Result, Stream, launch};
use crate::panic_record::{COMPLETE, FREE, NO_MESSAGE, PanicRecord, mark};

static ONE: Kernel = Kernel::new("one", "m", "m__one", Some(Image::new(7, b"")));
static TWO: Kernel = Kernel::new("two", "m", "m__two", Some(Image::new(7, b"")));

struct Records {
    driver: Arc<StandIn>,
    record: NonNull<PanicRecord>,
}

impl Records {
    fn new() -> Self {
        // SAFETY: every bit pattern is a record; zero is a free one.
        let record: PanicRecord = unsafe { std::mem::zeroed() };
        let record = NonNull::from(Box::leak(Box::new(record)));
        let driver = StandIn::new();
        *driver.record.lock().expect("record") = Some(record);
        Self { driver, record }
    }

    /// Does what a panicking thread of a grid of `blocks` does.
    fn panic(&self, line: u32, blocks: u32) {
        let found = PanicRecord {
            state: COMPLETE,
            line,
            column: 5,
            block: [0; 3],
            thread: [1, 0, 0],
            grid: [blocks, 1, 1],
            block_size: [32, 1, 1],
            file_len: 3,
            message_len: NO_MESSAGE,
            file: [b'f'; 256],
            message: [0; 696],
            others: mark([blocks, 1, 1], [32, 1, 1]),
        };
        // SAFETY: the record is leaked, and only this thread touches it.
        unsafe { self.record.as_ptr().write(found) };
    }

    fn is_free(&self) -> bool {
        // SAFETY: as above.
        unsafe { self.record.as_ref() }.state == FREE
    }
}

fn run(stream: &Stream, kernel: &'static Kernel, blocks: u32) {
    launch::<(), _>(stream, Grid::new(blocks, 32), kernel, (), |()| ()).expect("launch");
}

fn panic_of(result: Result<()>) -> KernelPanic {
    match result {
        Err(Error::KernelPanic(panic)) => *panic,
        other => panic!("no panic: {other:?}"),
    }
}

#[test]
fn the_only_launch_of_that_shape_is_named_with_its_number_on_its_own_stream() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    run(&a, &TWO, 2);
    run(&b, &ONE, 3);
    records.panic(11, 2);
    b.synchronize().expect("not of this stream");
    assert!(records.is_free(), "the next panic finds room");
    let panic = panic_of(a.synchronize());
    assert_eq!((panic.kernel.as_str(), panic.launch, panic.line, panic.file.as_str()), ("two", 2, 11, "fff"));
    a.synchronize().expect("reported once");
}

#[test]
fn launches_that_cannot_be_told_apart_are_all_named_and_their_streams_all_told() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    run(&b, &TWO, 1);
    records.panic(11, 1);
    for stream in [&b, &a] {
        let panic = panic_of(stream.synchronize());
        assert_eq!((panic.kernel.as_str(), panic.launch), ("one or two", 0));
    }
    a.synchronize().expect("reported once");
    b.synchronize().expect("reported once");
}

#[test]
fn launches_that_were_waited_for_are_not_suspected() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    a.synchronize().expect("clean");
    run(&b, &TWO, 1);
    records.panic(11, 1);
    assert_eq!(panic_of(b.synchronize()).kernel, "two");
    a.synchronize().expect("clean");
}

#[test]
fn a_panic_of_a_launch_that_is_forgotten_is_told_all_the_same() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    for _ in 0..300 {
        run(&b, &TWO, 2);
    }
    records.panic(11, 1);
    let panic = panic_of(b.synchronize());
    assert_eq!((panic.kernel.as_str(), panic.launch, panic.line), ("an unknown kernel", 0, 11));
}

#[test]
fn a_record_of_a_lost_context_is_not_read() {
    let records = Records::new();
    let (context, a, _b) = records.driver.context();
    run(&a, &ONE, 1);
    records.panic(11, 1);
    context.reset().expect("reset");
    assert!(matches!(a.synchronize(), Err(Error::ContextLost { .. })));
    assert!(!records.is_free());
}

#[test]
fn a_context_that_settles_waits_and_reports_for_the_streams_that_are_gone() {
    let records = Records::new();
    let (context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    run(&b, &TWO, 2);
    drop(a);
    records.driver.take();
    records.panic(11, 1);
    let panic = panic_of(context.settle());
    assert_eq!((panic.kernel.as_str(), panic.line), ("one", 11));
    assert_eq!(records.driver.count("synchronize_all"), 1);
    records.panic(12, 2);
    context.settle().expect("the stream that is left reports its own");
    assert_eq!(panic_of(b.synchronize()).line, 12);
}

/// Runs the ignored test `NAME` of this module in a process of its own, and returns its standard error.
fn stderr_of(name: &str) -> String {
    let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", &format!("host::tests::panics::{name}"), "--ignored", "--nocapture"]);
    let output = command.output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test"), "{text}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[ignore = "runs in processes of its own"]
fn drop_two_panics() {
    let records = Records::new();
    let (context, a, b) = records.driver.context();
    run(&a, &ONE, 1);
    run(&b, &TWO, 1);
    records.panic(11, 1);
    drop((context, a, b));
    let records = Records::new();
    let (_context, a, _b) = records.driver.context();
    run(&a, &ONE, 2);
    records.panic(12, 2);
    panic_of(a.synchronize());
}

#[test]
#[ignore = "runs in processes of its own"]
fn drop_a_panic_while_panicking() {
    let records = Records::new();
    let (_context, a, _b) = records.driver.context();
    run(&a, &ONE, 1);
    records.panic(13, 1);
    panic!("of the host");
}

#[test]
fn a_panic_that_nobody_asked_for_is_said_once_when_the_last_handle_goes() {
    let said = stderr_of("drop_two_panics");
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("warpweft:")).collect();
    let [line] = lines[..] else { panic!("{said}") };
    assert!(line.starts_with("warpweft: a kernel panic was never reported: kernel `one or two`"), "{line}");
    assert!(line.contains("fff:11:5"), "{line}");
    assert!(line.ends_with("(synchronize the stream to get it as an error)"), "{line}");
    let said = stderr_of("drop_a_panic_while_panicking");
    assert!(said.contains("of the host") && !said.contains("never reported"), "{said}");
}

#[test]
fn a_launch_that_panics_again_after_it_was_found_tells_no_other_stream() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 2);
    records.panic(10, 2);
    b.synchronize().expect("not of this stream");
    // Another thread of the same launch, still running, panics when the record is free again.
    records.panic(10, 2);
    b.synchronize().expect("not of this stream");
    let panic = panic_of(a.synchronize());
    assert_eq!((panic.kernel.as_str(), panic.line), ("one", 10));
    a.synchronize().expect("reported once");
    b.synchronize().expect("not of this stream");
}

#[test]
fn a_panic_that_found_the_record_taken_is_told_to_every_stream_it_may_be_of() {
    let records = Records::new();
    let (_context, a, b) = records.driver.context();
    run(&a, &ONE, 2);
    run(&b, &TWO, 3);
    records.panic(10, 2);
    let other = mark([3, 1, 1], [32, 1, 1]);
    // SAFETY: as in `Records::panic`.
    let record = unsafe { &mut *records.record.as_ptr() };
    assert_ne!(record.others, other, "the shapes must have different bits for this test");
    record.others |= other;
    assert_eq!(panic_of(a.synchronize()).kernel, "one");
    assert_eq!(panic_of(b.synchronize()).kernel, "an unknown kernel");
}
