// The tables of options and components, as Python sees them: arguments of estimators and samplers,
// and their docstrings, are made of these.
#include "mcns/train/split_options.h"

#include "src/binding.h"

namespace mcns::python {
namespace {

nb::dict described(const ParameterInfo& info) {
  constexpr const char* kTypes[] = {"number", "integer", "flag", "choice", "text"};
  nb::dict out;
  out["name"] = info.name;
  out["type"] = kTypes[static_cast<int>(info.type)];
  out["help"] = info.help;
  out["default"] = info.default_text();
  out["choices"] = info.choices;
  return out;
}

template <class Options>
nb::list described_options() {
  constexpr const char* kGroups[] = {"data", "model", "sampler", "training", "output"};
  nb::list out;
  Options options;
  for_each_option(options, [&](auto&, const OptionInfo& info) {
    nb::dict one = described(info);
    one["group"] = kGroups[static_cast<int>(info.group)];
    out.append(one);
  });
  return out;
}

template <class Entry>
nb::list described_registry(const Registry<Entry>& registry) {
  nb::list out;
  for (const Entry& entry : registry) {
    nb::dict one;
    one["name"] = entry.name;
    one["help"] = entry.help;
    one["takes_text"] = entry.takes_text;
    nb::list parameters;
    for (const ParameterInfo& info : entry.parameters) parameters.append(described(info));
    one["parameters"] = parameters;
    out.append(one);
  }
  return out;
}

nb::list load_fields() {
  nb::list out;
  for_each_load_field([&](const char* name, auto, const char* help) {
    nb::dict one;
    one["name"] = name;
    one["help"] = help;
    out.append(one);
  });
  return out;
}

nb::list components(const std::string& kind) {
  const Components& all = builtin_components();
  if (kind == "samplers") return described_registry(all.samplers);
  if (kind == "encoders") return described_registry(all.encoders);
  if (kind == "positives") return described_registry(all.positives);
  if (kind == "losses") return described_registry(all.losses);
  require(kind == "optimizers", "unknown kind of components '{}'", kind);
  return described_registry(all.optimizers);
}

}  // namespace

LoadOptions load_options(const TextSettings& given) {
  LoadOptions out;
  std::size_t known = 0;
  for_each_load_option(out, [&](const char* name, auto& field, const char*) {
    const auto found = given.find(name);
    if (found == given.end()) return;
    read_text(found->second, field.emplace());
    ++known;
  });
  require(known == given.size(), "unknown option of reading among those given");
  out.check();
  return out;
}

void bind_options(nb::module_& m) {
  m.def("train_options", &described_options<TrainOptions>);
  m.def("split_options", &described_options<SplitOptions>);
  m.def("load_options", &load_fields);
  m.def("components", &components);
}

}  // namespace mcns::python
