#define MCNS_ARCH base
#define MCNS_ARCH_NAME "base"
#include "mcns/core/kernels_impl.h"
