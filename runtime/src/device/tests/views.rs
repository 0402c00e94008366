//! Every element has one owner, whatever the shapes.

use std::cell::RefCell;

use super::{SHAPES, Words, launch, threads};
use crate::device::thread::{self, ThreadIndex, ThreadIndex2};
use crate::device::view::{DisjointChunks, DisjointGrid, DisjointSlice, Shape2};
use crate::param::KernelParam;
use crate::sim::{self, LaunchSpec};

/// Runs a kernel that adds to what it owns, in every shape and for lengths around the number of threads, and returns
/// what each launch left in memory.
fn owners(kernel: impl Fn(&Words<u32>) + Sync) -> Vec<(usize, Vec<u32>)> {
    let mut results = Vec::new();
    for (grid, block) in SHAPES {
        let all = threads([grid, block]);
        for len in [0, 1, all - 1, all, all + 1, 3 * all + 2] {
            let mut memory = vec![0; len];
            let words = Words::of(&mut memory);
            launch(grid, block, 0, || kernel(&words));
            results.push((all, memory));
        }
    }
    results
}

#[test]
fn a_slice_gives_each_thread_the_element_at_its_rank() {
    let results = owners(|words| {
        // SAFETY: once per thread.
        let mut view: DisjointSlice<'_, u32> = unsafe { words.view() };
        let i = thread::index();
        if let Some(element) = view.get_mut(&i) {
            *element += 1 + i.get() as u32;
        }
    });
    for (all, memory) in results {
        let want: Vec<u32> = (0..memory.len()).map(|i| if i < all { 1 + i as u32 } else { 0 }).collect();
        assert_eq!(memory, want);
    }
}

#[test]
fn strides_cover_a_slice_once() {
    let results = owners(|words| {
        // SAFETY: once per thread.
        let mut view: DisjointSlice<'_, u32> = unsafe { words.view() };
        for (position, element) in view.strided(&thread::index()) {
            *element += 1 + position as u32;
        }
    });
    for (_, memory) in results {
        assert!(memory.iter().enumerate().all(|(i, &value)| value == 1 + i as u32), "{memory:?}");
    }
}

#[test]
fn chunks_are_disjoint_and_end_where_the_slice_does() {
    let results = owners(|words| {
        // SAFETY: once per thread.
        let mut view: DisjointChunks<'_, u32, 3> = unsafe { words.view() };
        let i = thread::index();
        for element in view.get_mut(&i) {
            *element += 1 + i.get() as u32;
        }
    });
    for (all, memory) in results {
        let want: Vec<u32> =
            (0..memory.len()).map(|i| if i / 3 < all { 1 + i as u32 / 3 } else { 0 }).collect();
        assert_eq!(memory, want);
    }
}

#[test]
fn a_grid_has_one_owner_per_place_even_where_threads_extend_along_z() {
    for (grid, block) in SHAPES {
        let (height, width) = ((grid[1] * block[1]) as usize, (grid[0] * block[0]) as usize);
        for (rows, columns) in [(height, width), (height + 1, width.max(2) - 1), (1, width + 3)] {
            let pitch = columns + 2;
            let mut memory = vec![0_u32; rows * pitch];
            let words = Words::of(&mut memory);
            launch(grid, block, 0, || {
                // SAFETY: once per thread; the shape lies within the memory.
                let mut view: DisjointGrid<'_, u32> =
                    unsafe { DisjointGrid::from_abi(words.ptr(), Shape2 { rows, columns, pitch }) };
                let i = thread::index_2d();
                if let Some(element) = view.get_mut(&i) {
                    *element += 1 + (i.row() * 1000 + i.column()) as u32;
                }
            });
            for (position, &value) in memory.iter().enumerate() {
                let (row, column) = (position / pitch, position % pitch);
                let owned = row < height && column < width.min(columns);
                assert_eq!(
                    value,
                    if owned { 1 + (row * 1000 + column) as u32 } else { 0 },
                    "{row}, {column}"
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "behind the end")]
fn indexing_behind_the_end_panics() {
    let mut memory = [0_u32; 3];
    let words = Words::of(&mut memory);
    launch([1, 1, 1], [4, 1, 1], 0, || {
        // SAFETY: once per thread.
        let mut view: DisjointSlice<'_, u32> = unsafe { words.view() };
        view[&thread::index()] = 1;
    });
}

/// Runs `kernel` in one block of two threads and returns the message of the first panic.
fn panic_of(kernel: impl Fn() + Sync) -> String {
    let spec = LaunchSpec { grid: [1; 3], block: [2, 1, 1], shared_bytes: 0, kernel: "test", launch: 1 };
    sim::run(&spec, &kernel).expect_err("a panic").message
}

#[test]
fn the_index_of_another_thread_is_refused() {
    thread_local! {
        static LEFT: RefCell<Option<ThreadIndex>> = const { RefCell::new(None) };
        static LEFT_2D: RefCell<Option<ThreadIndex2>> = const { RefCell::new(None) };
    }
    let mut memory = [0_u32; 4];
    let words = Words::of(&mut memory);
    let taken = || match LEFT.take() {
        Some(index) => index,
        None => {
            LEFT.set(Some(thread::index()));
            thread::index()
        }
    };
    let views: [&(dyn Fn() + Sync); 3] = [
        // SAFETY: once per thread.
        &|| _ = unsafe { words.view::<DisjointSlice<'_, u32>>() }.get_mut(&taken()),
        // SAFETY: once per thread.
        &|| _ = unsafe { words.view::<DisjointSlice<'_, u32>>() }.strided(&taken()),
        // SAFETY: once per thread.
        &|| _ = unsafe { words.view::<DisjointChunks<'_, u32, 2>>() }.get_mut(&taken()),
    ];
    for view in views {
        assert!(panic_of(view).contains("made by another thread"));
    }
    let message = panic_of(|| {
        let index = LEFT_2D.take().unwrap_or_else(|| {
            LEFT_2D.set(Some(thread::index_2d()));
            thread::index_2d()
        });
        let shape = Shape2 { rows: 1, columns: 4, pitch: 4 };
        // SAFETY: once per thread.
        let mut grid: DisjointGrid<'_, u32> = unsafe { DisjointGrid::from_abi(words.ptr(), shape) };
        let _ = grid.get_mut(&index);
    });
    assert!(message.contains("made by another thread"));
}
