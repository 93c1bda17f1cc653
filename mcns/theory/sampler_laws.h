// The closed form of every sampler's law, written a second time, the slow and obvious way, from the
// edges and the scores alone. No sampler's own log q is asked; of a generator only the two tables
// are read.
#pragma once

#include <functional>

#include "mcns/samplers/generator.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/theory/goodness_of_fit.h"
#include "mcns/theory/selftest_world.h"

namespace mcns {

/// Stands for "nothing was found" in a law and in counts.
inline constexpr NodeId kNothing = -1;

/// p ~ weight(v) over what the source may have.
Law law_of_weights(const SelftestWorld& world, NodeId source,
                   const std::function<double(NodeId)>& weight);

Law uniform_law(const SelftestWorld& world, NodeId source);
/// Weighted degree to a power. A node without links weighs 0 for a power above 0, else 1; below 0,
/// a degree counts as at least 1. Where nothing allowed weighs anything, uniform.
Law degree_law(const SelftestWorld& world, NodeId source, double power);
/// Links of v, or sources less links.
Law wrmf_law(const SelftestWorld& world, NodeId source, bool popularity);
/// The highest (lowest) of `candidates` uniform draws: F(s)^S - F(s-)^S, shared among ties.
Law best_of_law(const SelftestWorld& world, NodeId source, int candidates, bool highest);
/// max(s, floor)^alpha, exp(alpha / (1 - alpha) s), or best_of_law.
Law self_contrast_form(const SelftestWorld& world, NodeId source, const SelfContrast& target);
/// The same where draws come from degree_law in place of uniform ones; not for form=paper.
Law from_degree(const SelftestWorld& world, NodeId source, const SelfContrast& target,
                double power);
/// Uniform over the targets above the positive's score less the margin, or nothing in `tries`.
Law warp_law(const SelftestWorld& world, Pair pair, double margin, int tries);
/// `hard` uniform over the `top` targets of highest personalised PageRank, the rest uniform.
Law pinsage_law(const SelftestWorld& world, NodeId source, double hard, int top);
/// softmax(g.h / temperature) over what is allowed.
Law irgan_law(const SelftestWorld& world, NodeId source, const Generator& generator,
              double temperature);
/// The same softmax within each of the n^2 pairs of candidates, averaged.
Law kbgan_pair_law(const SelftestWorld& world, NodeId source, const Generator& generator,
                   double temperature);

}  // namespace mcns
