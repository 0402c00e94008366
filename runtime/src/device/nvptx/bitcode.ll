; What Rust cannot spell, linked into every device image by LTO. Assembled to bitcode.bc by llvm-as 19.
; No datalayout, and the one triple for which LLVM's linker stays silent on every version.
target triple = "nvptx64-nvidia-gpulibs"

; The dynamic shared memory of the launch.
@__warpweft_dynamic_shared = external addrspace(3) global [0 x i8], align 16

define ptr @__warpweft_shared_base() alwaysinline nounwind {
  ret ptr addrspacecast (ptr addrspace(3) @__warpweft_dynamic_shared to ptr)
}
