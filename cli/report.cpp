// mcns report: one page about one or more model directories.
#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/report/run_page.h"

#include "cli/command.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns report model\n"
    "  mcns report model-rns model-mcns --title 'Two samplers' --out report.html\n"
    "\n`run` and `train` write DIR/report.html by themselves.\n";

struct Flags {
  std::vector<std::string> folders;
  std::string out, title = "Report";
};

}  // namespace

void add_report(CLI::App& root, Session& /*session*/) {
  CLI::App* command = root.add_subcommand("report", "one HTML page about model directories");
  auto flags = std::make_shared<Flags>();
  command->add_option("models", flags->folders, "model directories")->type_name("DIR")->required();
  command->add_option("--out", flags->out, "file to write; default: DIR/report.html of the first")
      ->type_name("FILE");
  command->add_option("--title", flags->title, "title of the page")->capture_default_str();
  const auto common = add_common(*command, kExamples);
  command->callback([=] {
    ThreadPool pool(common->threads);
    const std::string out = flags->out.empty() ? flags->folders[0] + "/report.html" : flags->out;
    write_file_atomically(out, run_page(flags->title, flags->folders, pool));
    if (common->json)
      fmt::print("{{\"report\": \"{}\"}}\n", out);
    else if (!common->quiet)
      fmt::print("report: {}\n", out);
  });
}

}  // namespace mcns::cli
