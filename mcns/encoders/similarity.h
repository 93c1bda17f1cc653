// What the score of a pair is made of: the dot product of two vectors or their cosine, divided by a
// temperature.
//
// Score = similarity / temperature is the dot product of vectors that are scaled before: to the
// length 1 / sqrt(temperature) for the cosine, by that factor for the dot product. So the scaling
// is an encoder around an encoder. Its tables hold the scaled vectors; samplers, losses,
// evaluation and saved models multiply them and need not know. A batch costs one more pass over the
// vectors of its rows, and the tables are kept twice.
#pragma once

#include <memory>

#include "mcns/encoders/encoder.h"

namespace mcns {

/// The encoder itself where scoring is plain.
std::unique_ptr<Encoder> with_scoring(std::unique_ptr<Encoder> encoder, Scoring scoring,
                                      ThreadPool& pool);

}  // namespace mcns
