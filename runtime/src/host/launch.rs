//! From a launcher's arguments to a running kernel.

use std::ffi::c_void;

use crate::host::context::{Context, Live};
use crate::host::driver::{Function, Shape};
use crate::host::error::{Error, Result};
use crate::host::grid::{Dim3, Grid};
use crate::host::kernel::Kernel;
use crate::host::limits::Limits;
use crate::host::param::{Binding, Params};
use crate::host::stream::{Stream, StreamCore};
use crate::sim;

/// Launches `kernel` on `stream`: checks the launch, binds the parameters, and hands it to the driver, or runs `body`
/// for every thread on the simulator.
///
/// `body` takes the parameters for any lifetime, so it keeps none of them beyond its thread.
///
/// Returns when the launch is queued (on the simulator: when it has run). A panic of the kernel is reported by the
/// next call that waits for the stream.
///
/// # Errors
/// [`Error::LaunchLimit`], [`Error::OtherContext`], [`Error::ContextLost`], [`Error::NoDeviceCode`], [`Error::Load`],
/// [`Error::Parameters`], [`Error::Forked`], [`Error::Driver`].
#[inline]
pub fn launch<P: Params, F: for<'x> Fn(P::At<'x>) + Sync + Copy>(
    stream: &Stream,
    grid: Grid,
    kernel: &'static Kernel,
    hosts: P::Hosts<'_>,
    body: F,
) -> Result<()> {
    let core = stream.core();
    let live = core.context().enter()?;
    check_grid(live.context().limits(), live.context().device(), kernel, grid)?;
    let mut binding = Binding::new(&live, core, kernel);
    let mut words = P::bind(hosts, &mut binding)?;
    let shape =
        Shape { blocks: grid.blocks(), threads: grid.threads(), shared_bytes: binding.shared_bytes() };
    if live.context().is_simulated() {
        // The gate is left before the kernel runs, so that a kernel may use the host side itself.
        let number = prepare_simulation(live, core, kernel, shape)?;
        if shape.blocks.count() > 0 {
            simulate::<P, F>(core, kernel, shape, number, &words, body);
        }
        return Ok(());
    }
    let (mut addresses, count) = P::addresses(&mut words);
    // SAFETY: the first `count` addresses point to the words of the parameters, which live in this frame; `bind`
    // has made them for this launch and vouches for what they point to.
    unsafe { submit(&live, core, kernel, shape, &mut addresses.as_mut()[..count], P::sizes) }
}

/// Hands a launch to the driver.
///
/// # Safety
/// 1. `words` points to each parameter of `kernel` in turn.
/// 2. The parameters are bound to this launch.
#[inline(never)]
unsafe fn submit(
    live: &Live<'_>,
    stream: &StreamCore,
    kernel: &'static Kernel,
    shape: Shape,
    words: &mut [*mut c_void],
    sizes: fn(&mut Vec<usize>),
) -> Result<()> {
    let function = live.store().function(live.driver(), kernel, sizes)?;
    let (context, threads) = (live.context(), shape.threads.count());
    if threads > u64::from(function.threads_per_block) {
        return Err(too_many_threads(context, function, threads));
    }
    let shared = function.static_shared_bytes + shape.shared_bytes;
    if shared > context.limits().shared_bytes_per_block_optin {
        return Err(too_much_shared(context.device(), kernel, shared, context.limits()));
    }
    if is_empty(shape.blocks) {
        return Ok(());
    }
    // Before the launch: its panic may be found by another thread at once.
    let number = context.recent().push(kernel, shape.blocks, shape.threads, stream.id());
    // SAFETY: the caller vouches for words and parameters.
    let launched = unsafe { live.driver().launch(function, shape, stream.handle(), words) };
    launched.map_err(|status| {
        // What the driver reports here may be the fault of an earlier kernel, never of this one.
        context.recent().remove(|launch| launch.number == number);
        live.fail(status)
    })
}

#[inline]
fn is_empty(extent: Dim3) -> bool {
    extent.x == 0 || extent.y == 0 || extent.z == 0
}

/// Checks a launch on the simulator and returns its number.
fn prepare_simulation(
    live: Live<'_>,
    stream: &StreamCore,
    kernel: &'static Kernel,
    shape: Shape,
) -> Result<u64> {
    let context = live.context();
    if shape.shared_bytes > context.limits().shared_bytes_per_block_optin {
        return Err(too_much_shared(context.device(), kernel, shape.shared_bytes, context.limits()));
    }
    if is_empty(shape.blocks) {
        return Ok(0);
    }
    Ok(context.recent().push(kernel, shape.blocks, shape.threads, stream.id()))
}

/// Words that many simulated threads read at once. They are copied into the loop over the threads, where nothing else
/// can reach them, so that the compiler keeps them in registers.
#[derive(Clone, Copy)]
struct Shared<W>(W);

// SAFETY: the words are only ever read; the parameters that every thread rebuilds from them are meant for many threads
// at once (HostParam, duty 1).
unsafe impl<W> Sync for Shared<W> {}

impl<W> Shared<W> {
    #[inline(always)]
    fn get(&self) -> &W {
        &self.0
    }
}

fn simulate<P: Params, F: for<'x> Fn(P::At<'x>) + Sync + Copy>(
    stream: &StreamCore,
    kernel: &'static Kernel,
    shape: Shape,
    launch: u64,
    words: &P::Words,
    body: F,
) {
    let spec = sim::LaunchSpec {
        grid: shape.blocks.into(),
        block: shape.threads.into(),
        shared_bytes: shape.shared_bytes,
        kernel: kernel.name(),
        launch,
    };
    let words = Shared(*words);
    let thread = move || {
        // SAFETY: the words were bound to this launch, whose buffers are borrowed until it returns, and `body` cannot
        // keep what it is given; each thread calls this once.
        body(unsafe { P::rebuild(words.get()) });
    };
    if let Err(panic) = sim::run(&spec, thread) {
        stream.context().remember(stream.id(), panic);
    }
}

/// Threads of a grid at most: device code counts them in 64 bits, and steps by their number.
const LARGEST_GRID: u64 = (1 << 63) - 1;

/// Checks grid and block against the limits of the device.
#[inline]
fn check_grid(limits: &Limits, device: &str, kernel: &Kernel, grid: Grid) -> Result<()> {
    let (blocks, threads) = (grid.blocks(), grid.threads());
    let fits = |extent: Dim3, limit: Dim3| extent.x <= limit.x && extent.y <= limit.y && extent.z <= limit.z;
    if fits(blocks, limits.grid)
        && fits(threads, limits.block)
        && !is_empty(threads)
        && threads.count() <= u64::from(limits.threads_per_block)
        && blocks.count().saturating_mul(threads.count()) <= LARGEST_GRID
    {
        return Ok(());
    }
    Err(grid_error(limits, device, kernel, grid))
}

#[cold]
fn grid_error(limits: &Limits, device: &str, kernel: &Kernel, grid: Grid) -> Error {
    let axes = |extent: Dim3| [extent.x, extent.y, extent.z];
    let (blocks, threads) = (axes(grid.blocks()), axes(grid.threads()));
    let error = |field, value: u64, limit: u64, remedy: &str| Error::LaunchLimit {
        kernel: kernel.name().to_owned(),
        device: device.to_owned(),
        field,
        value,
        limit,
        remedy: remedy.to_owned(),
    };
    for (axis, field) in
        ["threads of a block along x", "threads of a block along y", "threads of a block along z"]
            .into_iter()
            .enumerate()
    {
        let limit = axes(limits.block)[axis];
        if threads[axis] == 0 {
            return error(field, 0, 1, "write 1 for an axis that is not used");
        }
        if threads[axis] > limit {
            return error(field, threads[axis].into(), limit.into(), "use smaller blocks, and more of them");
        }
    }
    for (axis, field) in
        ["blocks of the grid along x", "blocks of the grid along y", "blocks of the grid along z"]
            .into_iter()
            .enumerate()
    {
        let limit = axes(limits.grid)[axis];
        if blocks[axis] > limit {
            let remedy = "use larger blocks, spread the grid over the other axes, or let each thread do several elements";
            return error(field, blocks[axis].into(), limit.into(), remedy);
        }
    }
    let (value, limit) = (grid.threads().count(), limits.threads_per_block.into());
    if value <= limit {
        let value = grid.blocks().count().saturating_mul(value);
        return error("threads of the grid", value, LARGEST_GRID, "let each thread do several elements");
    }
    error("threads of a block", value, limit, "use smaller blocks, and more of them")
}

#[cold]
fn too_many_threads(context: &Context, function: &Function, threads: u64) -> Error {
    let registers = threads.saturating_mul(function.registers.into());
    let limit = context.limits().registers_per_block;
    let remedy = if registers > limit.into() {
        let each = function.registers;
        format!(
            "each thread needs {each} registers, {registers} for the block of {limit}: use smaller blocks"
        )
    } else {
        "it was compiled for blocks of at most this size: use smaller blocks".to_owned()
    };
    Error::LaunchLimit {
        kernel: function.kernel.name().to_owned(),
        device: context.device().to_owned(),
        field: "threads of a block of this kernel",
        value: threads,
        limit: function.threads_per_block.into(),
        remedy,
    }
}

#[cold]
fn too_much_shared(device: &str, kernel: &Kernel, bytes: usize, limits: &Limits) -> Error {
    Error::LaunchLimit {
        kernel: kernel.name().to_owned(),
        device: device.to_owned(),
        field: "shared memory of a block (static and dynamic), in bytes",
        value: bytes as u64,
        limit: limits.shared_bytes_per_block_optin as u64,
        remedy: "use smaller shared arrays".to_owned(),
    }
}
