// The twins of benches/benches/memory: nvcc -O3 -arch=sm_90 -cubin
typedef unsigned int u32;

constexpr u32 THREADS = 256;
constexpr u32 MATMUL_TILE = 16;
constexpr u32 TRANSPOSE_TILE = 32;
constexpr u32 RADIUS = 3;
constexpr u32 BINS = 256;
constexpr u32 HISTOGRAM_WORDS = 32 * THREADS;

extern "C" __global__ void reduce(const u32 *__restrict__ x, u32 *__restrict__ sums, size_t n) {
    __shared__ u32 tile[THREADS];
    u32 rank = threadIdx.x;
    size_t i = blockIdx.x * (size_t)THREADS + rank;
    u32 sum = i < n ? x[i] : 0;
    tile[rank] = sum;
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (rank < half) {
            sum += tile[rank + half];
            tile[rank] = sum;
        }
    }
    if (rank == 0) {
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void matmul(size_t n, const float *__restrict__ a, const float *__restrict__ b,
                                  float *__restrict__ c) {
    __shared__ float tile_a[MATMUL_TILE][MATMUL_TILE];
    __shared__ float tile_b[MATMUL_TILE][MATMUL_TILE];
    u32 x = threadIdx.x, y = threadIdx.y;
    size_t row = blockIdx.y * (size_t)MATMUL_TILE + y, column = blockIdx.x * (size_t)MATMUL_TILE + x;
    float sum = 0;
    for (size_t first = 0; first < n; first += MATMUL_TILE) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (u32 k = 0; k < MATMUL_TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void transpose(size_t rows, size_t columns, const u32 *__restrict__ x, u32 *__restrict__ y) {
    __shared__ u32 tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    size_t from_x = blockIdx.x * (size_t)TRANSPOSE_TILE, from_y = blockIdx.y * (size_t)TRANSPOSE_TILE;
    if (from_x + ty < rows && from_y + tx < columns) {
        tile[ty][tx] = x[(from_x + ty) * columns + from_y + tx];
    }
    __syncthreads();
    if (from_y + ty < columns && from_x + tx < rows) {
        y[(from_y + ty) * rows + from_x + tx] = tile[tx][ty];
    }
}

extern "C" __global__ void stencil(const u32 *__restrict__ x, u32 *__restrict__ y, size_t n) {
    __shared__ u32 tile[THREADS + 2 * RADIUS];
    u32 rank = threadIdx.x;
    size_t first = blockIdx.x * (size_t)THREADS;
    for (u32 k = rank; k < THREADS + 2 * RADIUS; k += THREADS) {
        // Before the first element the position wraps to one behind the last.
        size_t i = first + k - RADIUS;
        tile[k] = i < n ? x[i] : 0;
    }
    __syncthreads();
    if (first + rank < n) {
        u32 sum = 0;
        for (u32 k = 0; k < 2 * RADIUS + 1; k++) {
            sum += tile[rank + k];
        }
        y[first + rank] = sum;
    }
}

extern "C" __global__ void scan(const u32 *__restrict__ x, u32 *__restrict__ y, size_t n) {
    __shared__ u32 tile[2][THREADS];
    u32 rank = threadIdx.x, turn = 0;
    size_t i = blockIdx.x * (size_t)THREADS + rank;
    u32 sum = i < n ? x[i] : 0;
    for (u32 distance = 1; distance < THREADS; distance *= 2, turn ^= 1) {
        tile[turn][rank] = sum;
        __syncthreads();
        if (rank >= distance) {
            sum += tile[turn][rank - distance];
        }
    }
    if (i < n) {
        y[i] = sum;
    }
}

extern "C" __global__ void sort(const u32 *__restrict__ x, u32 *__restrict__ y, size_t n) {
    __shared__ u32 tile[2][THREADS];
    u32 rank = threadIdx.x, turn = 0;
    size_t i = blockIdx.x * (size_t)THREADS + rank;
    u32 mine = i < n ? x[i] : 0;
    for (u32 size = 2; size <= THREADS; size *= 2) {
        for (u32 distance = size / 2; distance > 0; distance /= 2, turn ^= 1) {
            tile[turn][rank] = mine;
            __syncthreads();
            u32 other = tile[turn][rank ^ distance];
            bool keeps_smaller = ((rank & size) == 0) == ((rank & distance) == 0);
            mine = keeps_smaller ? min(mine, other) : max(mine, other);
        }
    }
    if (i < n) {
        y[i] = mine;
    }
}

extern "C" __global__ void histogram(const u32 *__restrict__ x, u32 *__restrict__ total, size_t n) {
    __shared__ u32 bins[BINS];
    u32 rank = threadIdx.x;
    size_t first = blockIdx.x * (size_t)HISTOGRAM_WORDS;
    if (first + HISTOGRAM_WORDS > n) {
        return;
    }
    bins[rank] = 0;
    __syncthreads();
    for (u32 k = rank; k < HISTOGRAM_WORDS; k += 4 * THREADS) {
        // Four loads are on their way at a time.
        u32 four[4] = {x[first + k], x[first + k + THREADS], x[first + k + 2 * THREADS], x[first + k + 3 * THREADS]};
        for (u32 word = 0; word < 4; word++) {
            for (u32 byte = 0; byte < 4; byte++) {
                atomicAdd(&bins[four[word] >> (8 * byte) & 255], 1);
            }
        }
    }
    __syncthreads();
    atomicAdd(&total[rank], bins[rank]);
}
