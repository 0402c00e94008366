; What Rust cannot spell, linked into every device image by LTO. Assembled to bitcode.bc by llvm-as 19.
; No datalayout, and the one triple for which LLVM's linker stays silent on every version.
;
; The last argument of the atomic functions is the scope: 0 block, 1 device, otherwise system. It is constant after
; inlining, so one of the three instructions is left. All are relaxed: orderings are made with fences.
; LLVM prints atomicrmw without its scope, which ptxas takes as the device: right for block and device, too narrow for
; the system, whose instructions are therefore spelt out.
target triple = "nvptx64-nvidia-gpulibs"

; The dynamic shared memory of the launch.
@__warpweft_dynamic_shared = external addrspace(3) global [0 x i8], align 16

define ptr @__warpweft_shared_base() alwaysinline nounwind {
  ret ptr addrspacecast (ptr addrspace(3) @__warpweft_dynamic_shared to ptr)
}

define void @__warpweft_fence_acq_rel(i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  fence syncscope("block") acq_rel
  ret void
device:
  fence syncscope("device") acq_rel
  ret void
system:
  fence acq_rel
  ret void
}

define i32 @__warpweft_atomic_load_32(ptr %p, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = load atomic i32, ptr %p syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = load atomic i32, ptr %p syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = load atomic i32, ptr %p monotonic, align 4
  ret i32 %system.v
}

define void @__warpweft_atomic_store_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  store atomic i32 %v, ptr %p syncscope("block") monotonic, align 4
  ret void
device:
  store atomic i32 %v, ptr %p syncscope("device") monotonic, align 4
  ret void
system:
  store atomic i32 %v, ptr %p monotonic, align 4
  ret void
}

define i32 @__warpweft_atomic_add_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw add ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw add ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_and_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw and ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw and ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.and.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_or_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw or ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw or ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.or.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_xor_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw xor ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw xor ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.xor.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_min_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw min ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw min ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.min.s32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_max_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw max ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw max ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.max.s32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_umin_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw umin ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw umin ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.min.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_umax_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw umax ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw umax ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.max.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_xchg_32(ptr %p, i32 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw xchg ptr %p, i32 %v syncscope("block") monotonic, align 4
  ret i32 %block.v
device:
  %device.v = atomicrmw xchg ptr %p, i32 %v syncscope("device") monotonic, align 4
  ret i32 %device.v
system:
  %system.v = call i32 asm sideeffect "atom.relaxed.sys.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret i32 %system.v
}

define i32 @__warpweft_atomic_cas_32(ptr %p, i32 %current, i32 %new, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.pair = cmpxchg ptr %p, i32 %current, i32 %new syncscope("block") monotonic monotonic, align 4
  %block.v = extractvalue { i32, i1 } %block.pair, 0
  ret i32 %block.v
device:
  %device.pair = cmpxchg ptr %p, i32 %current, i32 %new syncscope("device") monotonic monotonic, align 4
  %device.v = extractvalue { i32, i1 } %device.pair, 0
  ret i32 %device.v
system:
  %system.pair = cmpxchg ptr %p, i32 %current, i32 %new monotonic monotonic, align 4
  %system.v = extractvalue { i32, i1 } %system.pair, 0
  ret i32 %system.v
}

define i64 @__warpweft_atomic_load_64(ptr %p, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = load atomic i64, ptr %p syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = load atomic i64, ptr %p syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = load atomic i64, ptr %p monotonic, align 8
  ret i64 %system.v
}

define void @__warpweft_atomic_store_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  store atomic i64 %v, ptr %p syncscope("block") monotonic, align 8
  ret void
device:
  store atomic i64 %v, ptr %p syncscope("device") monotonic, align 8
  ret void
system:
  store atomic i64 %v, ptr %p monotonic, align 8
  ret void
}

define i64 @__warpweft_atomic_add_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw add ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw add ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_and_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw and ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw and ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.and.b64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_or_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw or ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw or ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.or.b64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_xor_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw xor ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw xor ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.xor.b64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_min_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw min ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw min ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.min.s64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_max_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw max ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw max ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.max.s64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_umin_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw umin ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw umin ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.min.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_umax_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw umax ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw umax ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.max.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_xchg_64(ptr %p, i64 %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw xchg ptr %p, i64 %v syncscope("block") monotonic, align 8
  ret i64 %block.v
device:
  %device.v = atomicrmw xchg ptr %p, i64 %v syncscope("device") monotonic, align 8
  ret i64 %device.v
system:
  %system.v = call i64 asm sideeffect "atom.relaxed.sys.exch.b64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %system.v
}

define i64 @__warpweft_atomic_cas_64(ptr %p, i64 %current, i64 %new, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.pair = cmpxchg ptr %p, i64 %current, i64 %new syncscope("block") monotonic monotonic, align 8
  %block.v = extractvalue { i64, i1 } %block.pair, 0
  ret i64 %block.v
device:
  %device.pair = cmpxchg ptr %p, i64 %current, i64 %new syncscope("device") monotonic monotonic, align 8
  %device.v = extractvalue { i64, i1 } %device.pair, 0
  ret i64 %device.v
system:
  %system.pair = cmpxchg ptr %p, i64 %current, i64 %new monotonic monotonic, align 8
  %system.v = extractvalue { i64, i1 } %system.pair, 0
  ret i64 %system.v
}

define float @__warpweft_atomic_add_f32(ptr %p, float %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw fadd ptr %p, float %v syncscope("block") monotonic, align 4
  ret float %block.v
device:
  %device.v = atomicrmw fadd ptr %p, float %v syncscope("device") monotonic, align 4
  ret float %device.v
system:
  %system.v = call float asm sideeffect "atom.relaxed.sys.add.f32 $0, [$1], $2;", "=f,l,f,~{memory}"(ptr %p, float %v)
  ret float %system.v
}

define double @__warpweft_atomic_add_f64(ptr %p, double %v, i32 %scope) alwaysinline nounwind {
  switch i32 %scope, label %system [ i32 0, label %block i32 1, label %device ]
block:
  %block.v = atomicrmw fadd ptr %p, double %v syncscope("block") monotonic, align 8
  ret double %block.v
device:
  %device.v = atomicrmw fadd ptr %p, double %v syncscope("device") monotonic, align 8
  ret double %device.v
system:
  %system.v = call double asm sideeffect "atom.relaxed.sys.add.f64 $0, [$1], $2;", "=d,l,d,~{memory}"(ptr %p, double %v)
  ret double %system.v
}
