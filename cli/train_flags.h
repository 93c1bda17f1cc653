// Flags that `run` and `train` share, made from the visitors over the options.
#pragma once

#include <memory>
#include <string>

#include "mcns/train/experiment.h"

#include "cli/command.h"
#include "cli/interrupt.h"

namespace mcns::cli {

struct TrainFlags {
  Experiment experiment;
  bool plan = false;
};

/// The heading of a group in --help.
const char* group_name(OptionGroup group);

/// A flag for every option of a struct that has a for_each_option.
template <class Options>
void add_options(CLI::App& command, Options& options) {
  for_each_option(options, [&](auto& field, const OptionInfo& info) {
    const std::string name = "--" + info.name;
    if constexpr (std::is_same_v<std::decay_t<decltype(*field)>, bool>) {
      // CLI11 would count the flag into an optional; --NAME=false counts as -1.
      command
          .add_flag_function(
              name, [&field](std::int64_t count) { field = count > 0; }, info.help)
          ->group(group_name(info.group));
      return;
    } else if constexpr (std::is_same_v<std::decay_t<decltype(*field)>, NegativeCount>) {
      command
          .add_option_function<std::string>(
              name, [&field](const std::string& text) { read_text(text, field.emplace()); },
              info.help)
          ->type_name("K|shared:N")
          ->group(group_name(info.group));
    } else {
      CLI::Option* flag = command.add_option(name, field, info.help);
      flag->group(group_name(info.group));
      // Before CLI11 makes a number of it, which it does as C: see whole_number.h.
      if (info.type == ParameterType::kInteger)
        flag->check([info](const std::string& text) {
          check_value(info, "--" + info.name, text);
          return std::string();
        });
      if (!info.choices.empty()) flag->type_name("{" + CLI::detail::join(info.choices, ",") + "}");
    }
  });
}

/// Every option of training, of loading and of output.
void add_train_flags(CLI::App& command, TrainFlags& flags);
/// Takes what all commands have in common; after parsing.
void finish_train_flags(TrainFlags& flags, const Common& common, const Session& session);

/// One line on stderr: sizes of the graph.
void print_data(const Dataset& data);

/// How to go on, on stderr; an empty folder: nothing was saved.
void print_interrupted(const std::string& out);

/// Runs with a progress display and signal handling, and calls `hooks` too. Prints how to continue
/// where the run was interrupted.
ExperimentResult train_with_progress(const TrainFlags& flags, const Common& common,
                                     ExperimentHooks hooks = {});
/// The same, and prints the result. Returns the exit code.
int run_with_progress(const TrainFlags& flags, const Common& common);

}  // namespace mcns::cli
