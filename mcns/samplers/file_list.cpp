// Negatives the user supplies, `file:PATH`: lines `source<TAB>negative[<TAB>more...]`, nodes by the
// names of the data, # and % comments, gz and zst read as they are. Several lines of a source add
// up; a negative listed twice is drawn twice as often.
//
// p(u) = occurrences of u in the source's list / its length. With `--filter train` training
// positives are left out of the lists. A source without a list draws uniformly, and such sources
// are counted; `file:PATH,missing=error` refuses them. O(1) a draw, no score evaluation; log q is
// exact. Memory: 4 bytes a listed negative.
#include "mcns/core/error.h"
#include "mcns/io/input.h"
#include "mcns/io/text_lines.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

class FileList final : public PairwiseSampler<FileList> {
 public:
  FileList(const std::string& path, const SamplerContext& context)
      : exclusion_(context.exclusion), sources_(context.graph.sources()) {
    require(context.names != nullptr,
            "file:{} needs the names of the nodes, and there are none here", path);
    read(path, *context.names);
    for (NodeId u = sources_.begin; u < sources_.end; ++u)
      missing_ += context.graph.degree(u) > 0 && list(u).empty();
  }

  NodeId draw(Pair pair, const Scorer&, Rng& rng) {
    const auto negatives = list(pair.source);
    if (negatives.empty()) return exclusion_.draw_uniform(pair.source, rng);
    return negatives[rng.below(negatives.size())];
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    const auto negatives = list(source);
    if (negatives.empty()) return uniform_log_q(exclusion_, source, target);
    const auto times = std::count(negatives.begin(), negatives.end(), target);
    return LogProbability{
        std::log(static_cast<double>(times) / static_cast<double>(negatives.size())), true};
  }

  std::vector<SamplerFigure> figures() const override {
    return {{"sources_without_list", static_cast<double>(missing_)},
            {"listed_training_positives", static_cast<double>(positives_)}};
  }
  /// Linked sources that have no negative in the file.
  NodeId missing() const { return missing_; }

 private:
  std::span<const NodeId> list(NodeId source) const {
    return std::span(ids_).subspan(offsets_[source], offsets_[source + 1] - offsets_[source]);
  }

  void read(const std::string& path, const Names& names) {
    const Input input(path);
    std::string_view bytes = input.bytes();
    std::vector<Pair> listed;
    for (std::int64_t line = 1; !bytes.empty(); ++line) {
      const std::string_view text = take_line(bytes);
      if (is_data_line(text)) read_line({path, line}, text, names, listed);
    }
    offsets_.assign(static_cast<std::size_t>(sources_.end) + 1, 0);
    for (const Pair& p : listed) ++offsets_[p.source + 1];
    for (std::size_t u = 1; u < offsets_.size(); ++u) offsets_[u] += offsets_[u - 1];
    ids_.resize(listed.size());
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Pair& p : listed) ids_[next[p.source]++] = p.target;
  }

  struct Place {
    const std::string& path;
    std::int64_t line;
  };

  void read_line(Place place, std::string_view text, const Names& names,
                 std::vector<Pair>& listed) {
    const auto take_field = [&] {
      const auto tab = text.find('\t');
      const std::string_view field = text.substr(0, tab);
      text = tab == std::string_view::npos ? std::string_view{} : text.substr(tab + 1);
      return field;
    };
    const std::string_view name = take_field();
    const auto source = names.find(name, sources_);
    if (!source)
      throw_bad_data(place.path, place.line,
                     fmt::format("'{}' is no source of negatives in this graph", name));
    if (text.empty())
      throw_bad_data(place.path, place.line,
                     fmt::format("'{}' has no negative after it; expected "
                                 "source<TAB>negative[<TAB>more...]",
                                 name));
    while (!text.empty()) {
      const std::string_view field = take_field();
      const auto target = names.find(field, exclusion_.targets());
      if (!target)
        throw_bad_data(place.path, place.line,
                       fmt::format("'{}' is no target in this graph", field));
      if (exclusion_.excluded(*source, *target))
        ++positives_;
      else
        listed.push_back({*source, *target});
    }
  }

  const Exclusion& exclusion_;
  NodeRange sources_;
  std::vector<std::int64_t> offsets_;
  std::vector<NodeId> ids_;
  NodeId missing_ = 0;
  std::int64_t positives_ = 0;
};

}  // namespace

std::unique_ptr<NegativeSampler> make_file_list(Spec& spec, const SamplerContext& context) {
  std::string path = spec.string("value", "");
  spec.finish();
  // The path is whatever stands before the option, commas included.
  bool strict = false;
  for (const std::string option : {",missing=uniform", ",missing=error"})
    if (path.ends_with(option)) {
      strict = option == ",missing=error";
      path.resize(path.size() - option.size());
      break;
    }
  require(!path.empty(), "'{}' names no file; expected file:PATH", spec.text());
  auto sampler = std::make_unique<FileList>(path, context);
  if (strict && sampler->missing() > 0)
    throw_bad_data(path, 0, fmt::format("{} linked sources have no negatives", sampler->missing()));
  return sampler;
}

}  // namespace mcns
