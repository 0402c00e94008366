//! Which calls order the uses of a buffer on two streams.

use std::sync::atomic::Ordering;

use crate::host::stand_in::StandIn;
use crate::host::{Buffer, Stream};

fn use_on(stream: &Stream, buffer: &Buffer<u8>) {
    stream.download(buffer).expect("download");
}

fn write_on(stream: &Stream, buffer: &mut Buffer<u8>) {
    let zeros = vec![0; buffer.len()];
    stream.copy_from_host(buffer, &zeros).expect("copy");
}

/// The calls that order, without the rest.
fn order(driver: &StandIn) -> Vec<String> {
    let mut calls = driver.take();
    calls.retain(|call| ["record ", "wait ", "free "].iter().any(|kind| call.starts_with(kind)));
    calls
}

const NONE: [&str; 0] = [];

#[test]
fn one_stream_needs_no_event() {
    let driver = StandIn::new();
    let (_context, first, _second) = driver.context();
    let mut buffer = first.zeros::<u8>(8).expect("zeros");
    for _ in 0..3 {
        write_on(&first, &mut buffer);
        use_on(&first, &buffer);
    }
    drop(buffer);
    assert_eq!(order(&driver), ["free 8 on 1"]);
    assert_eq!(driver.count("event"), 0);
}

#[test]
fn a_read_waits_for_the_writer_once() {
    let driver = StandIn::new();
    let (_context, first, second) = driver.context();
    let buffer = first.zeros::<u8>(8).expect("zeros");
    use_on(&second, &buffer);
    let event = driver.last_handle.load(Ordering::SeqCst);
    assert_eq!(order(&driver), [format!("record {event} on 1"), format!("wait 2 for {event}")]);
    use_on(&second, &buffer);
    use_on(&first, &buffer);
    assert_eq!(order(&driver), NONE);
}

#[test]
fn a_write_waits_for_the_readers_and_the_next_read_for_the_write() {
    let driver = StandIn::new();
    let (_context, first, second) = driver.context();
    let mut buffer = first.zeros::<u8>(8).expect("zeros");
    use_on(&second, &buffer);
    order(&driver);
    write_on(&first, &mut buffer);
    let calls = order(&driver);
    assert!(calls.len() == 2 && calls[0].ends_with("on 2") && calls[1].starts_with("wait 1 "), "{calls:?}");
    write_on(&first, &mut buffer);
    use_on(&first, &buffer);
    assert_eq!(order(&driver), NONE);
    use_on(&second, &buffer);
    let calls = order(&driver);
    assert!(calls.len() == 2 && calls[0].ends_with("on 1") && calls[1].starts_with("wait 2 "), "{calls:?}");
}

#[test]
fn freeing_waits_for_every_user() {
    let driver = StandIn::new();
    let (_context, first, second) = driver.context();
    let buffer = first.zeros::<u8>(8).expect("zeros");
    use_on(&second, &buffer);
    order(&driver);
    drop(buffer);
    let calls = order(&driver);
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(calls[0].starts_with("record ") && calls[0].ends_with("on 1"), "{calls:?}");
    assert!(calls[1].starts_with("wait 2 "), "{calls:?}");
    assert_eq!(calls[2], "free 8 on 2");
}

#[test]
fn two_parts_that_are_written_side_by_side_are_both_waited_for() {
    let driver = StandIn::new();
    let (_context, first, second) = driver.context();
    let mut buffer = first.zeros::<u8>(8).expect("zeros");
    {
        let (mut left, mut right) = buffer.split_at_mut(4).expect("split");
        second.copy_from_host(&mut right, &[1; 4]).expect("copy");
        // The second stream's write must not hide this one, which comes later and on the other part.
        first.copy_from_host(&mut left, &[1; 4]).expect("copy");
    }
    driver.take();
    use_on(&second, &buffer);
    let calls = order(&driver);
    assert!(calls.iter().any(|call| call.starts_with("record ") && call.ends_with("on 1")), "{calls:?}");
    assert!(calls.iter().any(|call| call.starts_with("wait 2 ")), "{calls:?}");
    // A write to the whole makes it one again.
    write_on(&first, &mut buffer);
    order(&driver);
    write_on(&first, &mut buffer);
    use_on(&first, &buffer);
    assert_eq!(order(&driver), NONE);
}

#[test]
fn an_exclusive_view_alone_needs_no_event_on_one_stream() {
    let driver = StandIn::new();
    let (_context, first, _second) = driver.context();
    let mut buffer = first.zeros::<u8>(8).expect("zeros");
    first.copy_from_host(&mut buffer.slice_mut(2..4).expect("view"), &[1; 2]).expect("copy");
    use_on(&first, &buffer);
    assert_eq!(order(&driver), NONE);
}

#[test]
fn readers_that_are_gone_and_idle_are_let_go() {
    let driver = StandIn::new();
    let (context, first, _second) = driver.context();
    let buffer = first.zeros::<u8>(8).expect("zeros");
    driver.idle.store(true, Ordering::SeqCst);
    for _ in 0..100 {
        let passing = Stream::new(context.clone()).expect("stream");
        use_on(&passing, &buffer);
    }
    let alive = driver.count("stream ") - driver.count("stream_destroy ");
    assert!(alive < 12, "{alive} streams are kept by one buffer");
    // Those that still work are kept.
    driver.idle.store(false, Ordering::SeqCst);
    driver.take();
    for _ in 0..20 {
        let passing = Stream::new(context.clone()).expect("stream");
        use_on(&passing, &buffer);
    }
    assert_eq!(driver.count("stream_destroy "), 0);
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let driver = StandIn::new();
    let (_context, first, second) = driver.context();
    let event = first.record().expect("record");
    second.wait(&event).expect("wait");
    assert!(event.is_complete().expect("query"));
    event.synchronize().expect("synchronize");
    let number = driver.last_handle.load(Ordering::SeqCst);
    assert_eq!(order(&driver), [format!("record {number} on 1"), format!("wait 2 for {number}")]);
}
