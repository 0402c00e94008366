use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;

use super::*;
use crate::host::Image;
use crate::host::stand_in::{Connection, StandIn};

static IMAGE_1: Kernel = Kernel::new("one", "m", "m__one", Some(Image::new(1, b"")));
static IMAGE_1_TOO: Kernel = Kernel::new("two", "m", "m__two", Some(Image::new(1, b"")));
static IMAGE_2: Kernel = Kernel::new("one", "m", "m__one", Some(Image::new(2, b"")));
static NO_IMAGE: Kernel = Kernel::new("none", "m", "", None);

fn sizes(sizes: &mut Vec<usize>) {
    sizes.extend([8, 4]);
}

fn get<'s>(store: &'s Store, driver: &Arc<StandIn>, kernel: &'static Kernel) -> Result<&'s Function> {
    store.function(&Connection(driver.clone()), kernel, sizes)
}

#[test]
fn eight_threads_that_arrive_together_load_once() {
    for _ in 0..50 {
        let (driver, store, barrier) = (StandIn::new(), Store::new(), Barrier::new(8));
        *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(|_| {
            thread::yield_now();
            Ok(())
        })));
        let handles: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        get(&store, &driver, &IMAGE_1).expect("loads").handle
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("thread")).collect()
        });
        assert_eq!((driver.count("load"), driver.count("function")), (1, 1));
        assert!(handles.iter().all(|handle| *handle == handles[0]));
    }
}

#[test]
fn kernels_of_one_image_share_its_module_and_equal_names_in_two_images_do_not_meet() {
    let (driver, store) = (StandIn::new(), Store::new());
    let first = get(&store, &driver, &IMAGE_1).expect("loads").handle;
    assert_ne!(get(&store, &driver, &IMAGE_1_TOO).expect("loads").handle, first);
    assert_ne!(get(&store, &driver, &IMAGE_2).expect("loads").handle, first);
    assert_eq!(get(&store, &driver, &IMAGE_1).expect("known").handle, first);
    let calls = ["load 1", "function m__one of 1 [8, 4]", "function m__two of 1 [8, 4]", "load 2"];
    let calls = calls.into_iter().chain(["function m__one of 2 [8, 4]"]).collect::<Vec<_>>();
    assert_eq!(driver.take(), calls);
}

#[test]
fn a_second_description_of_a_kernel_finds_the_same_function() {
    static AGAIN: Kernel = Kernel::new("one", "m", "m__one", Some(Image::new(1, b"")));
    let (driver, store) = (StandIn::new(), Store::new());
    let first = get(&store, &driver, &IMAGE_1).expect("loads").handle;
    assert_eq!(get(&store, &driver, &AGAIN).expect("known").handle, first);
    assert_eq!(driver.count("function"), 1);
}

#[test]
fn kernels_whose_places_in_the_fast_table_collide_stay_apart() {
    let kernels: Vec<&'static Kernel> = (0..600)
        .map(|number| {
            let symbol: &'static str = Box::leak(format!("k{number}").into_boxed_str());
            &*Box::leak(Box::new(Kernel::new(symbol, "m", symbol, Some(Image::new(1, b"")))))
        })
        .collect();
    let (driver, store) = (StandIn::new(), Store::new());
    for _ in 0..2 {
        for kernel in &kernels {
            assert_eq!(get(&store, &driver, kernel).expect("loads").kernel.symbol(), kernel.symbol());
        }
    }
    assert_eq!((driver.count("load"), driver.count("function")), (1, 600));
}

#[test]
fn a_failed_load_is_tried_again_from_another_thread() {
    let (driver, store) = (StandIn::new(), Store::new());
    let fails = Arc::new(AtomicBool::new(true));
    let hook_fails = fails.clone();
    *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(move |_| {
        if hook_fails.load(Ordering::SeqCst) { Err("ptxas: line 3: no".to_owned()) } else { Ok(()) }
    })));
    let error = get(&store, &driver, &IMAGE_1).expect_err("fails");
    assert!(matches!(&error, Error::Load { kernel, log, .. } if kernel == "one" && log.contains("line 3")));
    assert_eq!(get(&store, &driver, &IMAGE_1).expect_err("fails again"), error);
    fails.store(false, Ordering::SeqCst);
    thread::scope(|scope| {
        scope.spawn(|| get(&store, &driver, &IMAGE_1).map(|_| ()).expect("loads now"));
    });
    assert_eq!(driver.count("load"), 3);
}

#[test]
fn those_who_waited_for_a_failing_load_get_its_error() {
    let (driver, store, loads) = (StandIn::new(), Store::new(), Arc::new(AtomicUsize::new(0)));
    let hook_loads = loads.clone();
    *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(move |_| {
        let number = hook_loads.fetch_add(1, Ordering::SeqCst);
        thread::sleep(std::time::Duration::from_millis(200));
        Err(format!("attempt {number}"))
    })));
    let errors: Vec<Error> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| get(&store, &driver, &IMAGE_1).expect_err("fails"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("thread")).collect()
    });
    // A thread that came only after the failure has tried by itself; nobody has tried for somebody else.
    let attempts = loads.load(Ordering::SeqCst);
    assert!(attempts < 8, "{attempts} loads for 8 threads");
    assert!(errors.iter().all(|error| error.to_string().contains("attempt ")));
}

#[test]
fn a_load_that_panics_poisons_nothing() {
    let (driver, store) = (StandIn::new(), Store::new());
    *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(|_| panic!("in the loader"))));
    let result =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| get(&store, &driver, &IMAGE_1).map(|_| ())));
    assert!(result.is_err());
    *driver.on_load.lock().expect("hook") = None;
    get(&store, &driver, &IMAGE_1).expect("loads");
}

#[test]
fn no_lock_is_held_across_a_load() {
    let (driver, store) = (StandIn::new(), Store::new());
    let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (hook_entered, hook_leave) = (entered.clone(), leave.clone());
    *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(move |image| {
        if image == 1 {
            hook_entered.wait();
            hook_leave.wait();
        }
        Ok(())
    })));
    thread::scope(|scope| {
        scope.spawn(|| get(&store, &driver, &IMAGE_1).map(|_| ()).expect("loads"));
        entered.wait();
        // Image 1 is being loaded: another image loads, and the store answers, all the same.
        get(&store, &driver, &IMAGE_2).expect("loads meanwhile");
        store.for_each_module(|module| assert_eq!(module.image, 2));
        leave.wait();
    });
    get(&store, &driver, &IMAGE_1).expect("known");
    assert_eq!(driver.count("load"), 2);
}

#[test]
fn a_dropped_store_makes_no_call_and_an_unloaded_one_makes_one_for_each_module() {
    let (driver, mut store) = (StandIn::new(), Store::new());
    get(&store, &driver, &IMAGE_1).expect("loads");
    get(&store, &driver, &IMAGE_2).expect("loads");
    driver.take();
    store.unload(&Connection(driver.clone()));
    let mut calls = driver.take();
    calls.sort();
    assert_eq!(calls, ["unload 1", "unload 2"]);
    get(&store, &driver, &IMAGE_1).expect("loads again");
    driver.take();
    drop(store);
    assert_eq!(driver.take(), Vec::<String>::new());
}

#[test]
fn a_kernel_without_image_is_an_error() {
    let (driver, store) = (StandIn::new(), Store::new());
    let error = get(&store, &driver, &NO_IMAGE).expect_err("no image");
    assert_eq!(error, Error::NoDeviceCode { kernel: "none".to_owned() });
    assert_eq!(driver.take(), Vec::<String>::new());
}
