// mcns help --man: the manual page, which `cmake --install` puts in place.
#include <string_view>

#include <fmt/format.h>

#include "mcns/system/version.h"

#include "cli/command_tree.h"

namespace mcns::cli {
namespace {

/// Text for roff: backslashes and hyphens escaped, no line that begins with a request.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string option_text(const CLI::Option& option) {
  const auto names =
      option.get_positional() ? std::vector<std::string>{option.get_name(true)} : names_of(option);
  std::string head;
  for (const auto& name : names)
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  if (value_of_option(option).kind != ValueKind::kNone)
    head += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
  std::string text = roff(option.get_description());
  if (!option.get_default_str().empty())
    text += fmt::format(" (default: {})", roff(option.get_default_str()));
  return fmt::format(".TP\n{}\n{}\n", head, text.empty() ? "\\&" : text);
}

std::string command_text(const CLI::App& command) {
  std::string out =
      fmt::format(".SS {}\n{}.\n", roff(full_name(command)), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) out += option_text(*option);
  for (const CLI::Option* option : flag_options(command))
    if (option->get_group() != "Common") out += option_text(*option);
  const std::string footer = command.get_footer();
  if (!footer.empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
  return out;
}

}  // namespace

std::string man_page(const CLI::App& root) {
  std::string out = fmt::format(
      ".TH MCNS 1 \"\" \"mcns {}\" \"User Commands\"\n.SH NAME\nmcns \\- graph embeddings and "
      "negative sampling\n.SH SYNOPSIS\n.B mcns\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH "
      "DESCRIPTION\n{}\n",
      roff(version()), roff(root.get_footer()));
  out += ".SH COMMON OPTIONS\n";
  for (const CLI::Option* option : flag_options(*subcommands(root).front()))
    if (option->get_group() == "Common") out += option_text(*option);
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : all_commands(root))
    if (command != &root) out += command_text(*command);
  return out;
}

}  // namespace mcns::cli
