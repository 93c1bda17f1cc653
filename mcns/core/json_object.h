// Objects of JSON that are made before they are filled. A null that becomes an object by [] or a
// list by push_back has its new type before its memory: where there is none, nlohmann-json's
// destructor follows a null pointer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mcns {

/// The object under `key`, made where there is none yet.
inline nlohmann::ordered_json& object_at(nlohmann::ordered_json& parent, const std::string& key) {
  nlohmann::ordered_json& child = parent[key];
  if (child.is_null()) child = nlohmann::ordered_json::object();
  return child;
}

}  // namespace mcns
