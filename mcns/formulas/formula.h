// Formulas that every backend shares: a CPU kernel instantiates them with vectors, a scalar loop
// with floats, a CUDA file with whatever its threads hold. This folder includes nothing, so its
// headers compile anywhere. What differs comes in as a `Math` policy:
//
//   Math::exp_minus(x)      exp(-x), x >= 0
//   Math::exp(x), log(x), sqrt(x), abs(x), pow(x, y)
//   Math::positive(x, a, b) a where x > 0, else b
#pragma once

#ifdef __CUDACC__
#define MCNS_FORMULA __host__ __device__ __forceinline__
#else
#define MCNS_FORMULA inline __attribute__((always_inline))
#endif
