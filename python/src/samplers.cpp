// Negatives for training loops of Python, and samplers written in Python for the trainer.
#include "mcns/samplers/session.h"

#include "src/binding.h"

namespace mcns::python {
namespace {

/// A table as kernels read it: rows on cache lines, zeros behind them. Arrays that are so already
/// are taken as they are, others are copied.
class KernelTable {
 public:
  ConstMatrixRef of(const Vectors& array, ThreadPool& pool) {
    const auto rows = static_cast<std::int64_t>(array.shape(0));
    const int dim = static_cast<int>(array.shape(1));
    const bool fits =
        dim % kRowAlign == 0 && reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0;
    if (fits) return {array.data(), rows, dim, dim};
    if (copy_.rows() != rows || copy_.dim() != dim) copy_ = Matrix(rows, dim);
    constexpr std::int64_t kGrain = 4096;
    pool.for_ranges(rows, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::copy_n(array.data() + i * dim, dim, copy_.row(i));
    });
    return std::as_const(copy_).view();
  }

 private:
  Matrix copy_;
};

/// What scores are made of: tables, or a function of rows.
struct Scores {
  std::optional<Vectors> sources, targets;
  nb::object function;
};

class Session {
 public:
  /// `components` has the samplers in Python too, whose names are `functions`: they get no scores.
  Session(const EdgeData& data, const SessionOptions& options, int threads,
          std::shared_ptr<const Components> components, const PythonSamplers& functions)
      : graph_(data.graph()),
        pool_(threads),
        components_(std::move(components)),
        adapts_(looks_at_scores(options.sampler, functions)),
        session_(graph_->graph, completed(options), pool_) {}

  nb::tuple sample(const Rows& users, const std::optional<Rows>& items, int k,
                   const Scores& scores) {
    const std::vector<NodeId> sources = to_nodes(users, graph().sources(), "user");
    std::vector<NodeId> targets;
    if (items) targets = to_nodes(*items, graph().targets(), "item");
    Negatives drawn;
    {
      const nb::gil_scoped_release released;
      drawn = session_.draw(sources, targets, k, scorer(scores));
    }
    const NodeId first = graph().targets().begin;
    std::vector<std::int64_t> ids(drawn.ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = drawn.ids[i] - first;
    const auto rows = static_cast<std::size_t>(sources.size()), width = static_cast<std::size_t>(k);
    return nb::make_tuple(to_array(std::move(ids), {rows, width}),
                          weights_of(drawn.weights, {rows, width}),
                          weights_of(drawn.pair_weights, {rows}));
  }

  auto log_q(const Rows& users, const Table<std::int64_t>& negatives, const Scores& scores) {
    const std::vector<NodeId> sources = to_nodes(users, graph().sources(), "user");
    const std::size_t width = negatives.shape(1);
    require(negatives.shape(0) == sources.size(), "{} users but {} rows of negatives",
            sources.size(), negatives.shape(0));
    const NodeRange range = graph().targets();
    std::vector<double> out(sources.size() * width);
    {
      const nb::gil_scoped_release released;
      const Scorer by = scorer(scores);
      pool_.for_ranges(std::ssize(sources), 64, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin) * width;
             i < static_cast<std::size_t>(end) * width; ++i) {
          const std::int64_t row = negatives.data()[i];
          require(row >= 0 && row < range.size(), "negative {} is not a row in [0, {})", row,
                  range.size());
          const auto log_q =
              session_.log_q(sources[i / width], range.begin + static_cast<NodeId>(row), by);
          require(log_q.has_value(), "this sampler cannot say how probable its negatives are");
          out[i] = log_q->value;
        }
      });
    }
    return to_array(std::move(out), {sources.size(), width});
  }

  void feedback(const Table<float>& scores) {
    session_.feedback({scores.data(), scores.shape(0) * scores.shape(1)});
  }

  nb::bytes save() {
    const std::string bytes = session_.save();
    return nb::bytes(bytes.data(), bytes.size());
  }
  void load(const nb::bytes& bytes) { session_.load({bytes.c_str(), bytes.size()}); }
  bool adapts() const { return adapts_; }
  bool wants_feedback() const { return session_.wants_feedback(); }

 private:
  const Graph& graph() const { return graph_->graph; }

  bool looks_at_scores(const std::string& sampler, const PythonSamplers& functions) const {
    const SamplerEntry& entry = components_->samplers.find(sampler);
    return entry.adapts && !functions.contains(entry.name);
  }
  SessionOptions completed(SessionOptions options) const {
    options.names = &graph_->names;
    options.registry = &components_->samplers;
    return options;
  }

  /// Targets are rows behind those of users, so their table begins that many rows earlier.
  Scorer scorer(const Scores& scores) {
    if (!scores.function.is_none()) {
      function_ = [&, this](NodeId source, const NodeId* nodes, int count, float* out) {
        call(scores.function, source, nodes, count, out);
      };
      return {{}, {}, &kernels(), &function_};
    }
    if (!scores.sources) {
      require(!adapts_, "this sampler looks at scores: give tables=(U, V) or scores=function");
      return {};
    }
    const Vectors& targets = scores.targets ? *scores.targets : *scores.sources;
    check_shape(*scores.sources, graph().sources(), "users");
    check_shape(targets, graph().targets(), "items");
    require(scores.sources->shape(1) == targets.shape(1), "the tables have {} and {} columns",
            scores.sources->shape(1), targets.shape(1));
    const ConstMatrixRef source = sources_.of(*scores.sources, pool_);
    ConstMatrixRef target = targets_.of(targets, pool_);
    const NodeId first = graph().targets().begin;
    target.data -= static_cast<std::ptrdiff_t>(first) * target.stride;
    target.rows += first;
    return {source, target};
  }

  static void check_shape(const Vectors& table, NodeRange rows, const char* what) {
    require(static_cast<std::int64_t>(table.shape(0)) == rows.size(),
            "the table of {} has {} rows, the data {}", what, table.shape(0), rows.size());
  }

  void call(const nb::object& function, NodeId source, const NodeId* nodes, int count,
            float* out) const {
    const nb::gil_scoped_acquire held;
    const auto size = static_cast<std::size_t>(count);
    std::vector<std::int64_t> users(size, source), items(nodes, nodes + count);
    for (std::int64_t& item : items) item -= graph().targets().begin;
    const auto scores =
        nb::cast<Column<float>>(function(to_array(std::move(users)), to_array(std::move(items))));
    require(scores.size() == size, "scores gave {} numbers for {} pairs", scores.size(), size);
    std::copy_n(scores.data(), size, out);
  }

  static nb::object weights_of(std::span<const float> weights, std::vector<std::size_t> shape) {
    if (weights.empty()) return nb::none();
    return nb::cast(to_array(std::vector<float>(weights.begin(), weights.end()), std::move(shape)));
  }

  std::shared_ptr<const NamedGraph> graph_;
  ThreadPool pool_;
  std::shared_ptr<const Components> components_;
  bool adapts_;
  SamplerSession session_;
  KernelTable sources_, targets_;
  ScoreFunction function_;
};

/// A function of Python that draws for a whole batch: called once, before its blocks.
class FunctionSampler final : public NegativeSampler {
 public:
  FunctionSampler(std::string name, nb::callable function, const SamplerContext& context)
      : name_(std::move(name)), function_(std::move(function)), context_(context) {}
  ~FunctionSampler() override {
    const nb::gil_scoped_acquire held;
    function_.reset();
  }

  int negatives_per_positive(int) const override { return context_.negatives; }

  void begin_batch(const SampleRequest& request) override {
    const std::size_t pairs = request.pairs.size();
    const auto k = static_cast<std::size_t>(context_.negatives);
    const NodeRange targets = context_.graph.targets();
    ids_.resize(pairs * k);
    const nb::gil_scoped_acquire held;
    std::vector<std::int64_t> users(pairs), items(pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      users[i] = request.pairs[i].source;
      items[i] = request.pairs[i].target - targets.begin;
    }
    const auto drawn = nb::cast<Table<std::int64_t>>(
        function_(to_array(std::move(users)), to_array(std::move(items)), k, request.key.seed,
                  request.key.epoch, request.key.batch));
    require(drawn.shape(0) == pairs && drawn.shape(1) == k,
            "sampler '{}' gave an array of {} x {}; expected {} x {}", name_, drawn.shape(0),
            drawn.shape(1), pairs, k);
    for (std::size_t i = 0; i < ids_.size(); ++i)
      ids_[i] = checked(request, i / k, drawn.data()[i]);
  }

  void sample(const SampleRequest& request, const Negatives& out) override {
    for (const std::int32_t i : request.members)
      std::copy_n(ids_.begin() + std::ptrdiff_t(i) * out.k, out.k,
                  out.ids.begin() + std::ptrdiff_t(i) * out.k);
  }

 private:
  NodeId checked(const SampleRequest& request, std::size_t pair, std::int64_t row) const {
    const NodeRange targets = context_.graph.targets();
    require(row >= 0 && row < targets.size(), "sampler '{}' gave {}, which is not a row in [0, {})",
            name_, row, targets.size());
    const NodeId node = targets.begin + static_cast<NodeId>(row);
    const NodeId source = request.pairs[pair].source;
    require(!context_.exclusion.excluded(source, node),
            "sampler '{}' gave row {} to row {}, which is a training positive; filter='none' "
            "allows that",
            name_, row, source);
    return node;
  }

  std::string name_;
  nb::object function_;
  SamplerContext context_;
  std::vector<NodeId> ids_;
};

}  // namespace

Components with_samplers(const PythonSamplers& samplers) {
  Components out = builtin_components();
  for (const auto& sampler : samplers) {
    SamplerEntry entry{{sampler.first, "a function of Python"}};
    entry.adapts = true;
    entry.make = [name = sampler.first, function = sampler.second](const Parameters&,
                                                                   const SamplerContext& context) {
      const nb::gil_scoped_acquire held;
      return std::make_unique<FunctionSampler>(name, function, context);
    };
    out.samplers.add(std::move(entry));
  }
  return out;
}

void bind_samplers(nb::module_& m) {
  using nb::arg;
  const auto scores = [](std::optional<Vectors> u, std::optional<Vectors> v, nb::object f) {
    return Scores{std::move(u), std::move(v), std::move(f)};
  };
  m.def("check_sampler", [](const std::string& text, const PythonSamplers& functions) {
    const Components components = with_samplers(functions);
    given_parameters(components.samplers.find(text), text);
  });
  nb::class_<Session>(m, "Session")
      .def("__init__",
           [](Session* self, const EdgeData& data, const std::string& sampler, int dim,
              int negatives, const std::string& filter, std::uint64_t seed, int threads,
              const PythonSamplers& functions) {
             // Kept here as well: what fails below must not drop functions without the GIL.
             const auto components = std::make_shared<const Components>(with_samplers(functions));
             const SessionOptions options{.sampler = sampler,
                                          .negatives = negatives,
                                          .dim = dim,
                                          .filter = parse_filter(filter),
                                          .seed = seed};
             const nb::gil_scoped_release released;
             new (self) Session(data, options, threads, components, functions);
           })
      .def(
          "sample",
          [=](Session& self, const Rows& users, const std::optional<Rows>& items, int k,
              std::optional<Vectors> u, std::optional<Vectors> v, nb::object f) {
            return self.sample(users, items, k, scores(std::move(u), std::move(v), std::move(f)));
          },
          arg("users"), arg("items").none(), arg("k"), arg("u").none(), arg("v").none(),
          arg("function").none())
      .def(
          "log_q",
          [=](Session& self, const Rows& users, const Table<std::int64_t>& negatives,
              std::optional<Vectors> u, std::optional<Vectors> v, nb::object f) {
            return self.log_q(users, negatives, scores(std::move(u), std::move(v), std::move(f)));
          },
          arg("users"), arg("negatives"), arg("u").none(), arg("v").none(), arg("function").none())
      .def("feedback", &Session::feedback)
      .def("save", &Session::save)
      .def("load", &Session::load)
      .def_prop_ro("adapts", &Session::adapts)
      .def_prop_ro("wants_feedback", &Session::wants_feedback);
}

}  // namespace mcns::python
