// Everything that a run may be made of, by name. A program with components of its own copies the
// built-in ones, adds to the copy, and passes it on:
//
//   Components mine = builtin_components();
//   mine.samplers.add(my_sampler());
//   experiment.components = &mine;
//   experiment.train.sampler = "my-sampler";
#pragma once

#include "mcns/encoders/registry.h"
#include "mcns/losses/registry.h"
#include "mcns/optim/registry.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/registry.h"

namespace mcns {

struct Components {
  SamplerRegistry samplers;
  EncoderRegistry encoders;
  PositiveRegistry positives;
  LossRegistry losses;
  OptimizerRegistry optimizers;
};

const Components& builtin_components();

}  // namespace mcns
