// Negatives the user supplies, `file:PATH`: lines `source<TAB>negative[<TAB>more...]`, nodes by the
// names of the data, # and % comments, gz and zst read as they are. Several lines of a source add
// up; a negative listed twice is drawn twice as often.
//
// p(u) = occurrences of u in the source's list / its length. With `--filter train` training
// positives are left out of the lists. A source without a list draws uniformly, and such sources
// are counted; `file:PATH,missing=error` refuses them. O(1) a draw, no score evaluation; log q is
// exact. Memory: 4 bytes a listed negative.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/io/input.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/sha256.h"
#include "mcns/io/text_lines.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {
namespace {

class FileList final : public PairwiseSampler<FileList> {
 public:
  FileList(const std::string& path, const SamplerContext& context)
      : path_(path), exclusion_(context.exclusion), sources_(context.graph.sources()) {
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
  /// A resumed run must go on with the same list.
  void visit_state(Archive& archive) override {
    std::string digest = digest_;
    archive("file.sha256", digest);
    require(digest == digest_,
            "cannot resume: the list of negatives {} has changed since the checkpoint; --force "
            "starts anew",
            path_);
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
    Sha256 hash;
    hash.update(bytes.data(), bytes.size());
    digest_ = hash.finish();
    std::vector<Pair> listed;
    const Index index{RowIndex(names, sources_), RowIndex(names, exclusion_.targets())};
    for (std::int64_t line = 1; !bytes.empty(); ++line) {
      const std::string_view text = take_line(bytes);
      if (is_data_line(text)) read_line({path, line}, text, index, listed);
    }
    offsets_.assign(static_cast<std::size_t>(sources_.end) + 1, 0);
    for (const Pair& p : listed) ++offsets_[p.source + 1];
    for (std::size_t u = 1; u < offsets_.size(); ++u) offsets_[u] += offsets_[u - 1];
    ids_.resize(listed.size());
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Pair& p : listed) ids_[next[p.source]++] = p.target;
  }

  struct Index {
    RowIndex sources, targets;
  };
  struct Place {
    const std::string& path;
    std::int64_t line;
  };

  void read_line(Place place, std::string_view text, const Index& index,
                 std::vector<Pair>& listed) {
    const auto take_field = [&] {
      const auto tab = text.find('\t');
      const std::string_view field = text.substr(0, tab);
      text = tab == std::string_view::npos ? std::string_view{} : text.substr(tab + 1);
      return field;
    };
    const std::string_view name = take_field();
    const auto source = index.sources.find(std::string(name));
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
      const auto target = index.targets.find(std::string(field));
      if (!target)
        throw_bad_data(place.path, place.line,
                       fmt::format("'{}' is no target in this graph", field));
      if (exclusion_.excluded(*source, *target))
        ++positives_;
      else
        listed.push_back({*source, *target});
    }
  }

  std::string path_, digest_;
  const Exclusion& exclusion_;
  NodeRange sources_;
  std::vector<std::int64_t> offsets_;
  std::vector<NodeId> ids_;
  NodeId missing_ = 0;
  std::int64_t positives_ = 0;
};

/// A list of negatives on disk until the object is destroyed.
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

/// `PATH[,missing=uniform|error]`; the path is whatever stands before the option, commas included.
struct ListSpec {
  std::string path;
  bool strict = false;
};

ListSpec parse_list(std::string text) {
  for (const std::string option : {",missing=uniform", ",missing=error"})
    if (text.ends_with(option)) {
      text.resize(text.size() - option.size());
      return {text, option == ",missing=error"};
    }
  return {text};
}

std::unique_ptr<NegativeSampler> make_file_list(const std::string& text,
                                                const SamplerContext& context) {
  const auto [path, strict] = parse_list(text);
  require(!path.empty(), "the sampler 'file' names no file; expected file:PATH");
  auto sampler = std::make_unique<FileList>(path, context);
  if (strict && sampler->missing() > 0)
    throw_bad_data(path, 0, fmt::format("{} linked sources have no negatives", sampler->missing()));
  return sampler;
}

}  // namespace

SamplerEntry file_list_sampler() {
  SamplerEntry entry{
      {"file",
       "negatives from a file, file:PATH: lines of source<TAB>negative[<TAB>more...]",
       {text_parameter("path", "",
                       "file:PATH,missing=error refuses sources without a list; without it they "
                       "draw uniformly")}}};
  entry.takes_text = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return make_file_list(p.text("path"), context);
  };
  entry.files = [](const Parameters& p, const SamplerRegistry&) {
    return std::vector<std::string>{parse_list(p.text("path")).path};
  };
  entry.bytes = [](const Parameters&, const SamplerSizes&) { return MemoryNote{"not counted", 0}; };
  entry.cases = [] {
    const auto listed = [](const SelftestWorld&, Pair, const NegativeSampler&) {
      return Distribution{{21, 0.25}, {22, 0.5}, {27, 0.25}};
    };
    SelftestCase out{"file:LIST", listed};
    out.make = [](const SamplerContext& context) {
      return make_file_list(ListFile().path(), context);
    };
    return std::vector<SelftestCase>{out};
  };
  return entry;
}

}  // namespace mcns
