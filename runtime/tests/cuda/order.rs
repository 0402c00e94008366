//! Buffers that several streams use.

use super::{gpu, slowly};

#[test]
fn a_second_stream_waits_for_the_first() {
    let Some(gpu) = gpu("a_second_stream_waits_for_the_first") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    let mut values = a.zeros::<f32>(1000).expect("zeros");
    // Each launch doubles what the one before has left: any overlap or exchange changes the result.
    for stream in [&a, &b, &a, &b] {
        slowly(stream, 10, &mut values).expect("launch");
    }
    assert_eq!(a.download(&values).expect("download"), [15.0; 1000]);
    slowly(&b, 10, &mut values).expect("launch");
    let mut copy = b.zeros(1000).expect("zeros");
    a.copy(&values, &mut copy).expect("copy");
    assert_eq!(b.download(&copy).expect("download"), [31.0; 1000]);
}

#[test]
fn a_write_waits_for_readers_on_other_streams() {
    let Some(gpu) = gpu("a_write_waits_for_readers") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    let source = vec![1.0_f32; 1 << 24];
    let mut values = a.upload(&source).expect("upload");
    let mut copy = b.zeros(1 << 24).expect("zeros");
    let mut first = b.zeros::<f32>(1).expect("zeros");
    // The copy on b is held up behind the slow kernel; the write on a must wait for it.
    slowly(&b, 20, &mut first).expect("launch");
    b.copy(&values, &mut copy).expect("copy");
    super::add(&a, 5.0, &mut values).expect("launch");
    assert!(b.download(&copy).expect("download").iter().all(|v| *v == 1.0));
    assert!(a.download(&values).expect("download").iter().all(|v| *v == 6.0));
}

#[test]
fn halves_written_on_two_streams_are_both_seen() {
    let Some(gpu) = gpu("halves_written_on_two_streams") else { return };
    let (a, b, c) = (gpu.stream(), gpu.stream(), gpu.stream());
    let mut values = a.zeros::<f32>(2000).expect("zeros");
    let (mut left, mut right) = values.split_at_mut(1000).expect("split");
    std::thread::scope(|scope| {
        scope.spawn(|| slowly(&a, 10, &mut left).expect("launch"));
        scope.spawn(|| slowly(&b, 10, &mut right).expect("launch"));
    });
    assert_eq!(c.download(&values).expect("download"), [1.0; 2000]);
}

#[test]
fn a_buffer_dropped_in_flight_lives_until_the_work_has_passed() {
    let Some(gpu) = gpu("a_buffer_dropped_in_flight") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    let mut copy = a.zeros::<f32>(1 << 20).expect("zeros");
    for _ in 0..20 {
        let mut values = a.zeros::<f32>(1 << 20).expect("zeros");
        slowly(&a, 2, &mut values).expect("launch");
        b.copy(&values, &mut copy).expect("copy");
        drop(values);
        // Memory that were free already would be handed out again here, and overwritten.
        let other = a.upload(&vec![9.0_f32; 1 << 20]).expect("upload");
        assert!(b.download(&copy).expect("download").iter().all(|v| *v == 1.0));
        drop(other);
    }
}

#[test]
fn events_order_streams() {
    let Some(gpu) = gpu("events_order_streams") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    let mut values = a.zeros::<f32>(1).expect("zeros");
    slowly(&a, 50, &mut values).expect("launch");
    b.wait(&a.record().expect("record")).expect("wait");
    let end = b.record().expect("record");
    assert!(!end.is_complete().expect("query"));
    b.synchronize().expect("synchronize");
    assert!(end.is_complete().expect("query"));
}
