// What the score of a pair is made of: the dot product of two vectors or their cosine, divided by a
// temperature.
//
// Score = similarity / temperature is the dot product of vectors that are scaled before: to the
// length 1 / sqrt(temperature) for the cosine, by that factor for the dot product. So the scaling
// is an encoder around an encoder. Its tables hold the scaled vectors; samplers, losses,
// evaluation and saved models multiply them and need not know. A batch costs one more pass over the
// vectors of its rows, and the tables are kept twice.
//
// Unit vectors say in what direction an item lies, but hardly how popular it is. With popularity b
// the score of an item of degree d has b (log(1 + d) - m) added, m the mean of log(1 + d) over the
// items. The vectors hold that in their last coordinate: 1 for users, the addend for items; the
// others are scaled as without it. It is given, not learned, so that it cannot be learned by heart;
// an item without edges has the least.
#pragma once

#include <memory>

#include "mcns/encoders/encoder.h"

namespace mcns {

/// The encoder itself where scoring is plain.
std::unique_ptr<Encoder> with_scoring(std::unique_ptr<Encoder> encoder, Scoring scoring,
                                      const Graph& graph, ThreadPool& pool);

}  // namespace mcns
