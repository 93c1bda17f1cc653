// mcns completion: scripts that complete commands, flags and their values in a shell.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mcns/core/error.h"

#include "cli/command.h"
#include "cli/command_tree.h"

namespace mcns::cli {
namespace {

using Words = std::vector<std::string>;

Words command_names(const std::vector<const CLI::App*>& commands) {
  Words out;
  for (const CLI::App* command : commands) out.push_back(command->get_name());
  return out;
}

/// "data split" of "mcns data split"; empty for mcns itself.
std::string path_of(const CLI::App& command) {
  const std::string name = full_name(command);
  return name == "mcns" ? "" : name.substr(5);
}

/// Choices of a command's first word that is no flag.
Words positional_choices(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) return value_of_option(*option).choices;
  return {};
}

/// For a shell's single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_script(const CLI::App& root) {
  std::string flags, values;
  for (const CLI::App* command : all_commands(root)) {
    Words words = command_names(subcommands(*command));
    for (const auto& word : positional_choices(*command)) words.push_back(word);
    flags += fmt::format("    {}) words='{}' flags='{}' ;;\n", quoted(path_of(*command)),
                         fmt::join(words, " "), fmt::join(flags_of(*command), " "));
    for (const CLI::Option* option : flag_options(*command)) {
      const ValueKind value = value_of_option(*option);
      if (value.kind == ValueKind::kNone) continue;
      const std::string action =
          value.kind == ValueKind::kChoice
              ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                            fmt::join(value.choices, " "))
          : value.kind == ValueKind::kFolder ? "COMPREPLY=($(compgen -d -- \"$word\"))"
          : value.kind == ValueKind::kFile   ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                             : ":";
      for (const auto& name : names_of(*option))
        values +=
            fmt::format("    {}) {}; return ;;\n", quoted(path_of(*command) + " " + name), action);
    }
  }
  std::string commands;
  for (const CLI::App* command : all_commands(root))
    if (command != &root) commands += fmt::format("|{}", quoted(path_of(*command)));
  return fmt::format(
      "# bash completion of mcns, made by `mcns completion bash`\n"
      "_mcns() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= i "
      "words "
      "flags\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"${{command:+$command }}${{COMP_WORDS[i]}}\" in\n"
      "    {}) command=\"${{command:+$command }}${{COMP_WORDS[i]}}\" ;;\n"
      "    *) break ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command $before\" in\n{}  esac\n"
      "  case \"$command\" in\n{}  esac\n"
      "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  elif [[ -n $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _mcns mcns\n",
      commands.substr(1), values, flags);
}

/// Brackets and colons separate parts of a specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const CLI::Option& option) {
  const ValueKind value = value_of_option(option);
  switch (value.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return fmt::format(":value:({})", fmt::join(value.choices, " "));
    case ValueKind::kFile:
      return ":file:_files";
    case ValueKind::kFolder:
      return ":folder:_files -/";
    case ValueKind::kOther:
      break;
  }
  return ":value: ";
}

/// The body of a function that completes after the command's own words.
std::string zsh_command(const CLI::App& command) {
  const auto below = subcommands(command);
  if (!below.empty()) {
    std::string list, cases;
    for (const CLI::App* sub : below) {
      list += fmt::format(" {}", quoted(sub->get_name() + ":" + zsh_text(sub->get_description())));
      cases += fmt::format("    {}) shift words; ((CURRENT--)); {} ;;\n", sub->get_name(),
                           "_" + CLI::detail::find_and_replace(full_name(*sub), " ", "_"));
    }
    return fmt::format(
        "  local -a commands=({})\n"
        "  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
        "  case $words[2] in\n{}  esac\n",
        list, cases);
  }
  std::string out = "  _arguments";
  for (const CLI::Option* option : flag_options(command))
    for (const auto& name : names_of(*option))
      out += fmt::format(" \\\n    {}",
                         quoted(fmt::format("{}[{}]{}", name, zsh_text(option->get_description()),
                                            zsh_value(*option))));
  const Words words = positional_choices(command);
  out += words.empty() ? " \\\n    '*:file:_files'"
                       : fmt::format(" \\\n    '1:value:({})'", fmt::join(words, " "));
  return out + "\n";
}

std::string zsh_script(const CLI::App& root) {
  std::string out = "#compdef mcns\n# zsh completion of mcns, made by `mcns completion zsh`\n";
  for (const CLI::App* command : all_commands(root))
    out += fmt::format("_{}() {{\n{}}}\n",
                       CLI::detail::find_and_replace(full_name(*command), " ", "_"),
                       zsh_command(*command));
  return out + "if [[ $funcstack[1] == _mcns ]]; then _mcns \"$@\"; else compdef _mcns mcns; fi\n";
}

std::string fish_script(const CLI::App& root) {
  std::string out =
      "# fish completion of mcns, made by `mcns completion fish`\n"
      "function __mcns_at\n"
      "  set -l words (commandline -opc)\n"
      "  set -e words[1]\n"
      "  set -l wanted (count $argv)\n"
      "  test (count $words) -ge $wanted; or return 1\n"
      "  test $wanted -eq 0; or test \"$words[1..$wanted]\" = \"$argv\"\n"
      "end\n"
      "function __mcns_next\n"
      "  set -l words (commandline -opc)\n"
      "  test (math (count $words) - 1) -eq (count $argv); and __mcns_at $argv\n"
      "end\n";
  for (const CLI::App* command : all_commands(root)) {
    const std::string path = path_of(*command);
    const auto add = [&](const char* when, const std::string& rest) {
      out += fmt::format("complete -c mcns -n {} {}\n",
                         quoted(fmt::format("{}{}{}", when, path.empty() ? "" : " ", path)), rest);
    };
    for (const CLI::App* sub : subcommands(*command))
      add("__mcns_next",
          fmt::format("-f -a {} -d {}", sub->get_name(), quoted(sub->get_description())));
    for (const auto& word : positional_choices(*command)) add("__mcns_next", "-f -a " + word);
    if (command == &root) continue;
    for (const CLI::Option* option : flag_options(*command)) {
      std::string rest;
      for (const auto& name : option->get_lnames()) rest += " -l " + name;
      for (const auto& name : option->get_snames()) rest += " -s " + name;
      const ValueKind value = value_of_option(*option);
      if (value.kind == ValueKind::kChoice)
        rest += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(value.choices, " "))));
      else if (value.kind == ValueKind::kFolder)
        rest += " -x -a '(__fish_complete_directories)'";
      else if (value.kind != ValueKind::kNone)
        rest += value.kind == ValueKind::kFile ? " -r" : " -x";
      add("__mcns_at", rest.substr(1) + " -d " + quoted(option->get_description()));
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& root, Session&) {
  CLI::App* command =
      root.add_subcommand("completion", "print the script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "your shell")->type_name("{bash,zsh,fish}")->required();
  const auto common = add_common(
      *command,
      "  source <(mcns completion bash)                                    # in ~/.bashrc\n"
      "  mcns completion zsh > \"${fpath[1]}/_mcns\"\n"
      "  mcns completion fish > ~/.config/fish/completions/mcns.fish\n");
  command->callback([=, &root] {
    using Make = std::string (*)(const CLI::App&);
    const std::vector<std::pair<std::string, Make>> shells = {
        {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    const auto found = std::ranges::find(shells, *shell, &std::pair<std::string, Make>::first);
    if (found == shells.end()) throw_unknown("shell", *shell, {"bash", "zsh", "fish"});
    const std::string script = found->second(root);
    if (common->json)
      fmt::print("{}\n", nlohmann::ordered_json{{"shell", *shell}, {"script", script}}.dump(2));
    else
      fmt::print("{}", script);
  });
}

}  // namespace mcns::cli
