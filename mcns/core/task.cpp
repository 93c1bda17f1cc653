#include "mcns/core/task.h"

#include "mcns/core/error.h"

namespace mcns {
namespace {

constexpr std::pair<const char*, Task> kTasks[] = {
    {"recommend", Task::kRecommend}, {"linkpred", Task::kLinkpred}, {"classify", Task::kClassify}};

}  // namespace

Task parse_task(const std::string& name) {
  for (const auto& [text, task] : kTasks)
    if (name == text) return task;
  throw_unknown("task", name, task_names());
}

std::string task_name(Task task) {
  for (const auto& [text, value] : kTasks)
    if (value == task) return text;
  return "";
}

std::vector<std::string> task_names() {
  std::vector<std::string> out;
  for (const auto& [text, task] : kTasks) out.emplace_back(text);
  return out;
}

}  // namespace mcns
