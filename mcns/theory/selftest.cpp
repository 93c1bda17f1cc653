#include "mcns/theory/selftest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/samplers/irgan.h"
#include "mcns/samplers/kbgan.h"
#include "mcns/theory/broken_samplers.h"
#include "mcns/theory/selftest_case.h"

namespace mcns {
namespace {

using Cases = std::vector<SelftestCase>;
constexpr WorldKind kUserItem = WorldKind::kUserItem, kUndirected = WorldKind::kUndirected;

/// A law that asks neither for the positive nor for the sampler.
template <class Function, class... Args>
SelftestCase::LawOf law(Function function, Args... args) {
  return [=](const SelftestWorld& world, Pair pair, NegativeSampler&) {
    return function(world, pair.source, args...);
  };
}

void add_static(Cases& out) {
  for (const WorldKind kind : {kUserItem, kUndirected})
    for (const NodeId source : {0, 3})  // 0 may have a single target
      out.push_back({"rns", law(uniform_law), source, kind});
  out.push_back({"rns", law(uniform_law), 3, kUserItem, false, Filter::kNone});
  for (const double power : {-1.0, 0.0, 0.75, 1.0})
    out.push_back(
        {fmt::format("degree:power={}", power), law(degree_law, power), 5, kUndirected, true});
  out.push_back({"degree", law(degree_law, 0.75), 0, kUndirected, true});
  out.push_back({"degree", law(degree_law, 0.75), 3, kUserItem, false, Filter::kNone});
  out.push_back({"wrmf", law(wrmf_law, true)});
  out.push_back({"wrmf", law(wrmf_law, true), 5, kUndirected, true});
  out.push_back({"wrmf:scheme=item", law(wrmf_law, false)});
  out.push_back({"wrmf:scheme=user", law(uniform_law)});
  out.push_back({"self-adversarial", law(uniform_law)});
}

void add_lists(Cases& out) {
  const std::string plain = "pinsage:top=4,precision=1e-9",
                    paper = "pinsage:mode=paper,top=4,precision=1e-9";
  out.push_back({plain, law(pinsage_law, 0.5, 4), 3, kUserItem});
  out.push_back({plain, law(pinsage_law, 0.5, 4), 5, kUndirected, true});
  out.push_back(
      {paper, law(pinsage_law, 0.2, 4), 3, kUserItem, false, Filter::kTrain, Draws::kBatches});
  const std::vector<Pair> others = {{7, 8}, {7, 9}, {7, 9}, {7, 22}, {7, 22}, {7, 22}, {7, 27}};
  const auto batch_law = [others](const SelftestWorld& world, Pair pair, NegativeSampler&) {
    return law_of_weights(world, pair.source, [&](NodeId v) {
      return static_cast<double>(std::ranges::count(others, v, &Pair::target));
    });
  };
  out.push_back(
      {"in-batch", batch_law, 2, kUserItem, false, Filter::kTrain, Draws::kBatches, true, others});
  const auto mixed = [](const SelftestWorld& world, Pair pair, NegativeSampler&) {
    Law out = degree_law(world, pair.source, 1);
    const Law best = best_of_law(world, pair.source, 3, true);
    for (auto& [v, p] : out) p = 0.25 * p + 0.75 * best.at(v);
    return out;
  };
  out.push_back({"mix:0.25*degree:power=1+0.75*dns:candidates=3", mixed});
}

void add_adaptive(Cases& out) {
  for (const NodeId source : {2, 4})
    out.push_back({"dns:candidates=3", law(best_of_law, 3, true), source});
  out.push_back({"dns:candidates=40", law(best_of_law, 40, true), 4, kUndirected, true});
  out.push_back({"dns", law(best_of_law, 5, true), 3, kUserItem, false, Filter::kNone});
  out.push_back({"inverse-dns", law(best_of_law, 5, false), 2});
  out.push_back({"inverse-dns", law(best_of_law, 5, false), 4, kUndirected, true});
  const auto warp = [](const SelftestWorld& world, Pair pair, NegativeSampler&) {
    return warp_law(world, pair, 0.25, 3);
  };
  out.push_back({"warp:margin=0.25,tries=3", warp, 2});
  out.push_back({"warp:margin=0.25,tries=3", warp, 5, kUndirected, true});
  // The first vectors of a generator are short, so only a low temperature is far from uniform.
  constexpr double kTemperature = 0.004;
  const auto irgan = [](const SelftestWorld& world, Pair pair, NegativeSampler& sampler) {
    return irgan_law(world, pair.source, dynamic_cast<Irgan&>(sampler).generator(), kTemperature);
  };
  const auto kbgan = [](const SelftestWorld& world, Pair pair, NegativeSampler& sampler) {
    return kbgan_pair_law(world, pair.source, dynamic_cast<Kbgan&>(sampler).generator(),
                          kTemperature);
  };
  for (const WorldKind kind : {kUserItem, kUndirected}) {
    out.push_back({fmt::format("irgan:temperature={}", kTemperature), irgan, 3, kind});
    out.push_back({fmt::format("kbgan:candidates=2,temperature={}", kTemperature), kbgan, 3, kind});
  }
}

/// `exact` and the chains have the same targets: what fails for both is the target, for the chain
/// alone the mixing.
void add_self_contrast(Cases& out) {
  const SelfContrast exponential{Form::kExp, 0.5, 1e-3, 5}, steep{Form::kExp, 0.625, 1e-3, 5},
      paper{Form::kPaper, 0.25, 1e-3, 5}, quantile{Form::kQuantile, 0.5, 1e-3, 4};
  out.push_back({"exact", law(self_contrast_form, exponential)});
  out.push_back({"exact:form=paper", law(self_contrast_form, paper), 4, kUndirected, true});
  out.push_back({"exact:form=quantile,candidates=4", law(self_contrast_form, quantile)});
  struct Chain {
    const char* spec;
    SelfContrast target;
  };
  const Chain chains[] = {
      {"mcns:form=exp,pool=12,steps=0", exponential},
      {"mcns:form=exp,pool=0,steps=6,local=0", exponential},
      {"mcns:form=exp,pool=4,steps=6,local=0.9", exponential},
      {"mcns:form=exp,alpha=0.625,pool=8,steps=4", steep},
      {"mcns:form=exp,pool=0,steps=8,proposal=nearest,near=4", exponential},
      {"mcns:form=exp,pool=2,steps=8,proposal=nearest,near=3,local=0.8", exponential},
      {"mcns:form=paper", paper},
      {"mcns:form=paper,pool=8,steps=4,proposal=walk,chain=node", paper},
      {"mcns:form=paper,steps=8,proposal=walk,hops=2", paper},
      {"mcns:hardness=4,pool=16", quantile},
      {"mcns:hardness=4,pool=16,steps=4", quantile},
  };
  for (const auto& [spec, target] : chains)
    for (const auto& [kind, weighted, filter] :
         {std::tuple{kUserItem, false, Filter::kTrain}, std::tuple{kUserItem, true, Filter::kNone},
          std::tuple{kUndirected, true, Filter::kTrain},
          std::tuple{kUndirected, false, Filter::kNone}})
      out.push_back({spec, law(self_contrast_form, target), 3, kind, weighted, filter,
                     Draws::kChain, target.form != Form::kQuantile});
  for (const auto& [spec, target] : {Chain{"mcns:form=exp,pool=12,power=0.75", exponential},
                                     Chain{"mcns:hardness=4,pool=16,power=0.75", quantile}})
    for (const WorldKind kind : {kUserItem, kUndirected})
      out.push_back({spec, law(from_degree, target, 0.75), 3, kind, kind == kUndirected,
                     Filter::kTrain, Draws::kChain, target.form != Form::kQuantile});
  // Handed over, the chain comes from another node's law: near its own after some steps.
  const std::vector<Pair> before = {{7, 9}, {5, 8}, {6, 9}};
  for (const auto& [spec, target] : {Chain{"mcns:form=paper,steps=10", paper},
                                     Chain{"mcns:form=exp,pool=40,chain=dfs", exponential}})
    for (const WorldKind kind : {kUserItem, kUndirected})
      out.push_back({spec, law(self_contrast_form, target), 3, kind, false, Filter::kTrain,
                     Draws::kHanded, false, before});
}

/// A list of negatives on disk for as long as the object lives.
class ListFile {
 public:
  ListFile() : path_(std::filesystem::temp_directory_path() / "mcns-selftest-XXXXXX") {
    const int file = mkstemp(path_.data());
    if (file < 0)
      throw_error(ErrorKind::kIo, "cannot write '{}'; expected a folder for temporary files",
                  path_);
    close(file);
    std::ofstream(path_) << "n3\tn21\tn22\tn22\tn27\n";
  }
  ~ListFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ListFile(const ListFile&) = delete;
  ListFile& operator=(const ListFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::vector<SelftestRow> selftest_samplers(std::uint64_t seed, ThreadPool& pool) {
  Cases cases;
  add_static(cases);
  add_lists(cases);
  add_adaptive(cases);
  add_self_contrast(cases);
  const ListFile list;
  const auto listed = [](const SelftestWorld&, Pair, NegativeSampler&) {
    return Law{{21, 0.25}, {22, 0.5}, {27, 0.25}};
  };
  cases.push_back({"file:LIST", listed});
  cases.back().make = [&list](const SamplerContext& context) {
    return make_sampler("file:" + list.path(), context);
  };
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : cases) rows.push_back(run_case(test, seed, pool));
  return rows;
}

std::vector<SelftestRow> selftest_broken_samplers(std::uint64_t seed, ThreadPool& pool) {
  Cases cases;
  cases.push_back({"uniform-moves-on", law(uniform_law)});
  cases.back().make = make_biased_uniform;
  cases.push_back({"dns-second-best", law(best_of_law, 3, true)});
  cases.back().make = [](const SamplerContext& context) { return make_second_best(context, 3); };
  const SelfContrast target{Form::kExp, 0.5, 1e-3, 5};
  for (const auto& [name, defect] : {std::pair{"chain-without-ratio", ChainDefect::kNoRatio},
                                     std::pair{"chain-gives-proposal", ChainDefect::kLastProposal},
                                     std::pair{"control-chain", ChainDefect::kNone}}) {
    cases.push_back({name, law(self_contrast_form, target), 3, kUndirected, true, Filter::kTrain,
                     Draws::kChain});
    cases.back().make = [defect = defect](const SamplerContext& context) {
      return make_plain_chain(context, defect);
    };
  }
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : cases) rows.push_back(run_case(test, seed, pool));
  return rows;
}

bool all_hold(const std::vector<SelftestRow>& rows) {
  return std::ranges::all_of(rows, &SelftestRow::holds);
}

}  // namespace mcns
