// The samplers by name: one line each.
#include "mcns/samplers/registry.h"

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<NegativeSampler> (*make)(Spec&, const SamplerContext&);
  const char* help;
  std::vector<ParameterInfo> parameters;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"degree", make_degree, "power of degree: p(u) ~ deg(u)^power", 
       {{"power", "0.75", "0 is uniform, 1 the degree itself, below 0 prefers rare nodes"}}},
      {"rns", make_rns, "uniform over the allowed targets", {}},
  };
  return all;
}

}  // namespace

std::unique_ptr<NegativeSampler> make_sampler(const std::string& text,
                                              const SamplerContext& context) {
  Spec spec = Spec::parse(text);
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (spec.name() == entry.name) return entry.make(spec, context);
    known.emplace_back(entry.name);
  }
  throw_unknown("sampler", spec.name(), known);
}

std::vector<ComponentInfo> list_samplers() {
  std::vector<ComponentInfo> out;
  for (const Entry& entry : entries()) out.push_back({entry.name, entry.help, entry.parameters});
  return out;
}

}  // namespace mcns
