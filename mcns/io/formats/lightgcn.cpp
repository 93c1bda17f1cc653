// Adjacency lists of the LightGCN and NGCF benchmarks: "0 17 4 99", a user and its items.
#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/scan.h"

namespace mcns {

using formats::take_token;

RawEdges parse_lightgcn(std::string_view content, const std::string& path) {
  auto out = formats::parse_with_ids([&](RawEdges& edges, formats::Ids& ids) {
    formats::Lines lines(content, path);
    while (const auto line = lines.next()) {
      auto rest = *line;
      const auto user = take_token(rest);
      if (user.empty()) continue;
      const auto source = ids(user);
      if (!source) return false;
      const auto before = edges.pairs.size();
      for (auto item = take_token(rest); !item.empty(); item = take_token(rest)) {
        const auto target = ids(item);
        if (!target) return false;
        edges.pairs.push_back({*source, *target});
      }
      if (edges.pairs.size() == before) edges.isolated.push_back(*source);
    }
    return true;
  });
  if (out.pairs.empty()) throw_bad_data(path, 0, "no user with an item in the file");
  out.user_item = true;
  return out;
}

}  // namespace mcns
