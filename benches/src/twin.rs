//! Kernels that nvcc built from `benches/cuda/*.cu`, loaded through cudarc's driver interface.

use std::path::PathBuf;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, sys};
use cudarc::nvrtc::Ptx;

use crate::Result;

/// The kernels of one `.cu` file.
pub struct Twins {
    /// The context: the primary one of the first device, which warpweft uses as well.
    pub context: Arc<CudaContext>,
    /// A stream of their own.
    pub stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

/// A kernel from nvcc and what is needed to run and time it.
pub struct Twin {
    /// The context: the primary one of the first device, which warpweft uses as well.
    pub context: Arc<CudaContext>,
    /// A stream of its own.
    pub stream: Arc<CudaStream>,
    /// The kernel.
    pub function: CudaFunction,
}

impl Twins {
    /// Loads the cubin `name` from the directory that `WARPWEFT_TWINS` names; `None` if that is not set.
    ///
    /// # Errors
    /// When there is no such cubin, or the driver refuses it.
    pub fn load(name: &str) -> Result<Option<Self>> {
        let Some(dir) = std::env::var_os("WARPWEFT_TWINS") else { return Ok(None) };
        let cubin = PathBuf::from(dir).join(format!("{name}.cubin"));
        if !cubin.is_file() {
            return Err(format!("there is no {}", cubin.display()).into());
        }
        let context = CudaContext::new(0)?;
        // Each benchmark orders its work itself: events between streams would be timed along.
        // SAFETY: all buffers of a twin are used on its one stream, and are freed after it was synchronised.
        unsafe { context.disable_event_tracking() };
        let module = context.load_module(Ptx::from_file(cubin))?;
        let stream = context.new_stream()?;
        Ok(Some(Self { context, stream, module }))
    }

    /// Returns the kernel `name`.
    ///
    /// # Errors
    /// When the cubin has no such kernel.
    pub fn kernel(&self, name: &str) -> Result<Twin> {
        let function = self.module.load_function(name)?;
        Ok(Twin { context: self.context.clone(), stream: self.stream.clone(), function })
    }
}

impl Twin {
    /// Loads the kernel `name` from the cubin of the same name in the directory that `WARPWEFT_TWINS` names; `None` if
    /// that is not set.
    ///
    /// # Errors
    /// When there is no such cubin or kernel, or the driver refuses it.
    pub fn load(name: &str) -> Result<Option<Self>> {
        Twins::load(name)?.map(|twins| twins.kernel(name)).transpose()
    }

    /// Times what `launch` puts on the twin's stream, in milliseconds of the device's clock.
    ///
    /// # Errors
    /// What `launch` returns, and the driver's errors.
    pub fn time(&self, launch: impl FnOnce() -> Result<()>) -> Result<f64> {
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let start = self.stream.record_event(timed)?;
        launch()?;
        let end = self.stream.record_event(timed)?;
        self.stream.synchronize()?;
        Ok(f64::from(start.elapsed_ms(&end)?))
    }
}
