#include "mcns/io/read_report.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace mcns {
namespace {

std::string columns_text(const ReadReport& report) {
  std::vector<std::string> parts;
  for (const auto& [role, column] : report.columns)
    parts.push_back(fmt::format("{}={}", role, column));
  if (!report.ignored.empty())
    parts.push_back(fmt::format("ignored: {}", fmt::join(report.ignored, " ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string dropped_text(const ReadReport& report) {
  std::vector<std::string> why;
  if (report.low_rated > 0) why.push_back(fmt::format("{} rated too low", report.low_rated));
  if (report.self_loops > 0) why.push_back(fmt::format("{} self loops", report.self_loops));
  if (report.out_of_core > 0) why.push_back(fmt::format("{} out of the core", report.out_of_core));
  return why.empty() ? "0 dropped"
                     : fmt::format("{} dropped ({})", report.dropped(), fmt::join(why, ", "));
}

}  // namespace

std::string report_line(const ReadReport& report) {
  std::string out = fmt::format("read {}: {}", report.file, report.format);
  if (!report.separator.empty())
    out +=
        fmt::format(", separator {}, {}", report.separator, report.header ? "header" : "no header");
  if (!report.columns.empty()) out += "; " + columns_text(report);
  out +=
      fmt::format("; {}; {} rows read, {} merged, {}", report.weighted ? "weighted" : "unweighted",
                  report.rows, report.merged, dropped_text(report));
  if (report.labels_out_of_core > 0)
    out += fmt::format("; {} labels dropped (out of the core)", report.labels_out_of_core);
  return out;
}

std::string report_json(const ReadReport& report) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::object();
  for (const auto& [role, column] : report.columns) columns[role] = column;
  const nlohmann::ordered_json out{
      {"format", report.format},     {"separator", report.separator},
      {"header", report.header},     {"columns", columns},
      {"ignored", report.ignored},   {"weighted", report.weighted},
      {"read", report.rows},         {"merged", report.merged},
      {"dropped", report.dropped()}, {"labels_dropped", report.labels_out_of_core},
      {"warnings", report.warnings}};
  return out.dump();
}

}  // namespace mcns
