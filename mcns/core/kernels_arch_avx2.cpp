#define MCNS_ARCH avx2
#define MCNS_ARCH_NAME "avx2"
#include "mcns/core/kernels_impl.h"
