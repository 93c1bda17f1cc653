// MovieLens 100K's u.data: "196\t242\t3\t881250949".
#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/scan.h"

namespace mcns {

using formats::take_token;

RawEdges parse_movielens(std::string_view content, const std::string& path) {
  auto out = formats::parse_with_ids([&](RawEdges& edges, formats::Ids& ids) {
    formats::Lines lines(content, path);
    while (const auto line = lines.next()) {
      auto rest = *line;
      const auto user = take_token(rest), item = take_token(rest), rating = take_token(rest);
      take_token(rest);  // the time
      if (user.empty()) continue;
      if (rating.empty() || !take_token(rest).empty())
        lines.fail("expected user, item, rating and time");
      const float value = formats::parse_weight(rating, "rating", lines);
      const auto source = ids(user), target = ids(item);
      if (!source || !target) return false;
      edges.pairs.push_back({*source, *target});
      edges.values.push_back(value);
    }
    return true;
  });
  if (out.pairs.empty()) throw_bad_data(path, 0, "no ratings in the file");
  out.user_item = true;
  return out;
}

}  // namespace mcns
