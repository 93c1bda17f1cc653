#include "mcns/plan/components.h"

namespace mcns {

const Components& builtin_components() {
  static const Components all{builtin_samplers(), builtin_encoders(), builtin_positives(),
                              builtin_losses(), builtin_optimizers()};
  return all;
}

}  // namespace mcns
