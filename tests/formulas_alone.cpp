// Compiled by itself, without any header of the language or of the host (tests/CMakeLists.txt):
// what a CUDA file may include, it can include as it is.
#include "mcns/formulas/losses.h"
#include "mcns/formulas/optimizers.h"

namespace mcns {

/// What a backend brings: functions of its own.
struct DeviceMath {
  static float exp_minus(float x) { return __builtin_expf(-x); }
  static float exp(float x) { return __builtin_expf(x); }
  static float log(float x) { return __builtin_logf(x); }
  static double log(double x) { return __builtin_log(x); }
  static float sqrt(float x) { return __builtin_sqrtf(x); }
  static double sqrt(double x) { return __builtin_sqrt(x); }
  static double pow(double x, double y) { return __builtin_pow(x, y); }
  static float abs(float x) { return __builtin_fabsf(x); }
  static float positive(float x, float a, float b) { return x > 0 ? a : b; }
};

/// The loss of a pair by every formula, one after the other; the slopes of the last.
float losses_alone(float* s, float margin, int n) {
  float copy[4][64];
  for (auto& scores : copy)
    for (int i = 0; i < n; ++i) scores[i] = s[i];
  const float total = pair_loss<DeviceMath>(Bpr{}, copy[0], nullptr, n) +
                      pair_loss<DeviceMath>(Hinge{margin}, copy[1], nullptr, n) +
                      pair_loss<DeviceMath>(Logistic{margin}, copy[2], nullptr, n) +
                      pair_loss<DeviceMath>(Softmax{margin}, copy[3], nullptr, n);
  for (int i = 0; i < n; ++i) s[i] = copy[3][i];
  return total;
}

/// A first step of every optimizer from w, summed.
float optimizers_alone(float w, float g, float lr) {
  float a = w, b = w, c = w, state[2] = {};
  Sgd{}.step<DeviceMath>(a, g, state, Sgd{}.rate<DeviceMath>(lr, 1));
  Adagrad{}.step<DeviceMath>(b, g, state, Adagrad{}.rate<DeviceMath>(lr, 1));
  state[0] = 0;
  Adam{}.step<DeviceMath>(c, g, state, Adam{}.rate<DeviceMath>(lr, 1));
  return a + b + c;
}

}  // namespace mcns
