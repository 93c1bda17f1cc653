// The samplers by name. An entry describes a sampler: its name, its parameters, how it is made,
// what it needs, and the distribution that its draws are tested against.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcns/core/registry.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/self_contrast.h"

namespace mcns {

struct SelftestCase;
struct SamplerEntry;
using SamplerRegistry = Registry<SamplerEntry>;

/// What the memory of a sampler depends on, beside its parameters.
struct SamplerSizes {
  const Graph& graph;
  int dim = 64;
  std::uint64_t batch = 1024;  ///< pairs
  int negatives = 1;           ///< of a pair
  int threads = 1;
  const SamplerRegistry& registry;

  std::uint64_t row_bytes() const { return std::uint64_t(padded(dim)) * sizeof(float); }
};

/// Bytes, and where they go.
struct MemoryNote {
  std::string how;
  std::uint64_t bytes = 0;
};

/// What draws with a specification follow, by the scores of the moment they are drawn.
struct DeclaredDraws {
  std::string spec;
  SelfContrast target;
};

struct SamplerEntry : Component {
  std::function<std::unique_ptr<NegativeSampler>(const Parameters&, const SamplerContext&)> make =
      nullptr;
  /// Whether draws depend on the model's scores (of a mixture: whether they may).
  bool adapts = false;
  /// Whether a source's consecutive draws are states of a Markov chain.
  bool chain = false;
  /// Whether negatives are harder than chance, so that defaults regularise more.
  bool harder = false;
  /// Whether the pairs of a walk's window may share negatives (NegativeSampler::can_share and
  /// can_share_source).
  bool shares = false;
  /// Whether it has a pool that all pairs of a batch share (NegativeSampler::pool_source).
  bool pools = false;
  /// Refuses values that no range tells, before any data is read; no formula among
  /// the defaults of its parameters then.
  std::function<void(const Parameters&, const SamplerRegistry&)> check = nullptr;
  /// Files that it reads; none where empty.
  std::function<std::vector<std::string>(const Parameters&, const SamplerRegistry&)> files =
      nullptr;
  /// Tables that stay for the whole run; none where empty.
  std::function<MemoryNote(const Parameters&, const SamplerSizes&)> bytes = nullptr;
  /// What its draws are held against by `mcns selftest`; none where there is no closed form.
  std::function<std::vector<SelftestCase>()> cases = nullptr;
  /// What `mcns selftest samplers --training` holds its draws against while a model trains.
  std::function<std::vector<DeclaredDraws>()> declares = nullptr;
};

const SamplerRegistry& builtin_samplers();

/// Files that a sampler reads, as `text` gives them.
std::vector<std::string> sampler_files(const std::string& text, const SamplerRegistry& registry);

/// `rns`, `degree:power=0.75`, ... Graph and exclusion must outlive the sampler. By the built-in
/// registry unless the context names another.
std::unique_ptr<NegativeSampler> make_sampler(const std::string& text,
                                              const SamplerContext& context);

/// Weights and an alias table over the targets: what samplers with a fixed distribution keep.
MemoryNote alias_table_bytes(const SamplerSizes& sizes);

}  // namespace mcns
