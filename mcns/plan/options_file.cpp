#include "mcns/plan/options_file.h"

#include "mcns/core/toml_reader.h"

namespace mcns {
namespace {

std::string value_of(const toml::node& node, const std::string& path) {
  const auto* list = node.as_array();
  if (list == nullptr) return text_of(node, path);
  if (list->is_array_of_tables())
    throw_bad_data(path, node.source().begin.line, "[[...]] is a list of sections, expected [...]");
  std::string out;
  for (const toml::node& item : *list) {
    if (!out.empty()) out += ',';
    out += text_of(item, path);
  }
  return out;
}

void collect(const toml::table& table, const std::string& path,
             const std::vector<std::string>& sections, std::vector<FileOption>& out) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name.empty()) throw_bad_data(path, key.source().begin.line, "an option without a name");
    if (const auto* inner = node.as_table()) {
      std::vector<std::string> below = sections;
      below.push_back(name);
      out.push_back({below, "", ""});
      collect(*inner, path, below, out);
    } else {
      out.push_back({sections, name, value_of(node, path)});
    }
  }
}

}  // namespace

std::vector<FileOption> parse_options(const std::string& text, const std::string& path) {
  std::vector<FileOption> out;
  collect(parse_toml_text(text, path), path, {}, out);
  return out;
}

}  // namespace mcns
