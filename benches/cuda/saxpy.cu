// The twin of benches/benches/saxpy.rs: nvcc -O3 -arch=sm_90 -cubin
extern "C" __global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
