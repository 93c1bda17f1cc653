// mcns doctor: what this machine offers and what was built in.
#include <filesystem>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mcns/core/kernels.h"
#include "mcns/io/datasets_table.h"
#include "mcns/io/read_edges.h"
#include "mcns/system/libraries.h"
#include "mcns/system/version.h"

#include "cli/load_flags.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

Json collect() {
  Json folders = Json::array();
  const auto add_folder = [&](const std::string& folder, const char* kind) {
    std::error_code ignored;
    folders.push_back({{"folder", folder},
                       {"kind", kind},
                       {"exists", std::filesystem::is_directory(folder, ignored)}});
  };
  for (const auto& folder : embedded_folders()) add_folder(folder, "embedded");
  if (const auto folder = data_folder()) add_folder(*folder, "MCNS_DATA");
  Json datasets = Json::array();
  for (const auto& dataset : found_datasets()) datasets.push_back(dataset.name);
  Json libraries = Json::object();
  for (const auto& [name, version] : library_versions()) libraries[name] = version;
  return {{"version", version()},
          {"build", build_type()},
          {"compiler", compiler()},
          {"cpu", cpu_name()},
          {"threads", hardware_threads()},
          {"memory", physical_memory()},
          {"simd", simd_levels()},
          {"kernels", kernels().name},
          {"cuda", false},
          {"mpi", false},
          {"formats", edge_formats()},
          {"libraries", libraries},
          {"data_folders", folders},
          {"datasets", datasets}};
}

std::string joined(const Json& words) {
  return fmt::format("{}", fmt::join(words.get<std::vector<std::string>>(), ", "));
}

void print_text(const Json& facts) {
  const auto line = [](const std::string& what, const std::string& value) {
    fmt::print("{:<16}{}\n", what, value);
  };
  const auto text = [&](const char* key) { return facts[key].get<std::string>(); };
  line("mcns", fmt::format("{}, {} build, {}", text("version"), text("build"), text("compiler")));
  line("cpu", fmt::format("{}, {} threads", text("cpu"), facts["threads"].get<int>()));
  line("memory", readable_bytes(facts["memory"].get<std::uint64_t>()));
  line("simd", fmt::format("{}; kernels in use: {}", joined(facts["simd"]), text("kernels")));
  line("parts", "CPU; CUDA and MPI are not in this build");
  line("formats", joined(facts["formats"]));
  for (const auto& [name, version] : facts["libraries"].items())
    line(name, version.get<std::string>());
  for (const auto& folder : facts["data_folders"])
    line(folder["kind"] == "embedded" ? "embedded data" : "$MCNS_DATA",
         fmt::format("{}{}", folder["folder"].get<std::string>(),
                     folder["exists"].get<bool>() ? "" : " (not there)"));
  line("datasets", joined(facts["datasets"]));
}

}  // namespace

void add_doctor(CLI::App& root, Session&) {
  auto* command = root.add_subcommand("doctor", "show what this machine and this build offer");
  const auto common = add_common(*command, "  mcns doctor\n  mcns doctor --json\n");
  command->callback([=] {
    const Json facts = collect();
    if (common->json) {
      fmt::print("{}\n", facts.dump(2));
    } else {
      print_text(facts);
    }
  });
}

}  // namespace mcns::cli
