// The three tasks, and their names.
#pragma once

#include <string>
#include <vector>

namespace mcns {

enum class Task { kRecommend, kLinkpred, kClassify };

/// Throws for a name that is no task, with the known ones.
Task parse_task(const std::string& name);
std::string task_name(Task task);
std::vector<std::string> task_names();

}  // namespace mcns
