#define MCNS_ARCH avx512
#define MCNS_ARCH_NAME "avx512"
#include "mcns/core/kernels_impl.h"
