// Reviews as JSON lines (Amazon by McAuley, Yelp, Goodreads). The parser is event-driven: the
// review texts, nearly all of a file, are passed over without building a document.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "mcns/core/plain_text.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/scan.h"
#include "mcns/io/times.h"

namespace mcns {
namespace {

/// Which keys of the objects are what: as --columns says, else by the words that are known in
/// headers too (reviewerID, asin, overall, unixReviewTime; user_id, rating, timestamp).
class Keys {
 public:
  explicit Keys(const ColumnSpec& given) : given_(given) {}

  /// The role of a key; none for others.
  std::optional<Role> operator()(const std::string& name) {
    const auto [at, is_new] = roles_.try_emplace(name);
    if (is_new) at->second = find(name);
    return at->second;
  }
  /// Name of the key that had the role, for reports.
  const std::string& name(Role role) const { return names_[static_cast<int>(role)]; }

 private:
  std::optional<Role> find(const std::string& name) {
    for (const Role role :
         {Role::kSource, Role::kTarget, Role::kWeight, Role::kRating, Role::kTime})
      if (given_[role] == name) return taken(role, name);
    if (name == "reviewTime") return std::nullopt;  // "06 2, 2013", beside unixReviewTime
    const std::optional<Role> role = known(column_word(name));
    // Another key may have the role already: `asin` beside `parent_asin`.
    if (!role || given_[*role] || !names_[static_cast<int>(*role)].empty()) return std::nullopt;
    return taken(*role, name);
  }
  Role taken(Role role, const std::string& name) {
    names_[static_cast<int>(role)] = name;
    return role;
  }
  static std::optional<Role> known(ColumnWord word) {
    if (word == ColumnWord::kUser) return Role::kSource;
    if (word == ColumnWord::kItem) return Role::kTarget;
    if (word == ColumnWord::kRating) return Role::kRating;
    if (word == ColumnWord::kTime) return Role::kTime;
    return std::nullopt;
  }

  const ColumnSpec& given_;
  std::map<std::string, std::optional<Role>> roles_;
  std::array<std::string, kRoles> names_;
};

/// Keeps the fields of the outermost object that have a role; everything else passes by.
class Review : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Review(Keys& keys) : keys_(keys) {}

  std::string user, item, problem;
  std::optional<double> weight, rating, time;

  bool null() override { return other("null"); }
  bool boolean(bool value) override { return other(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, text);
  }
  bool string(string_t& value) override {
    if (depth_ != 1 || !role_) return scalar();
    if (*role_ == Role::kSource) user = value;
    if (*role_ == Role::kTarget) item = value;
    if (*role_ == Role::kTime && !time) time = parse_time(value);
    return *role_ == Role::kRating || *role_ == Role::kWeight ? other("text") : true;
  }
  bool binary(binary_t&) override { return other("binary data"); }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool start_array(std::size_t) override { return scalar() && ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) role_ = keys_(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    problem = "not a JSON object";
    return false;
  }

 private:
  /// A value outside of any object is JSON, but no review.
  bool scalar() {
    if (depth_ == 0) problem = "not a JSON object";
    return depth_ > 0;
  }
  bool number(double value, const std::string& text) {
    if (depth_ != 1 || !role_) return scalar();
    if (*role_ == Role::kSource) user = text;
    if (*role_ == Role::kTarget) item = text;
    if (*role_ == Role::kWeight) weight = value;
    if (*role_ == Role::kRating) rating = value;
    if (*role_ == Role::kTime) time = value;
    return true;
  }
  bool other(const char* what) {
    if (depth_ != 1 || !role_ || *role_ == Role::kTime) return scalar();
    problem = fmt::format("{} where {} belongs", what,
                          *role_ == Role::kRating   ? "a rating"
                          : *role_ == Role::kWeight ? "a weight"
                                                    : "an id");
    return false;
  }

  Keys& keys_;
  std::optional<Role> role_;
  int depth_ = 0;
};

void check_review(const Review& review, const TextOptions& options, const formats::Lines& lines) {
  if (!review.problem.empty()) lines.fail(review.problem);
  if (review.user.empty())
    lines.fail("a review without a user (reviewerID, user_id; --columns user=KEY,item=KEY)");
  if (review.item.empty())
    lines.fail("a review without an item (asin, business_id; --columns user=KEY,item=KEY)");
  for (const std::string& id : {review.user, review.item})
    if (const std::string what = id_problem(id); !what.empty()) lines.fail(what);
  const bool weighted = options.columns[Role::kWeight].has_value();
  if (weighted && !(review.weight && std::isfinite(*review.weight) && *review.weight >= 0))
    lines.fail("a review without a weight, expected a finite number >= 0");
  if (options.min_rating && !review.rating)
    lines.fail("a review without a rating (overall, rating, stars; --columns rating=KEY)");
  if ((options.times == Times::kNeed || options.columns[Role::kTime]) && !review.time)
    lines.fail("a review without a time (unixReviewTime, timestamp; --columns time=KEY)");
}

}  // namespace

RawEdges parse_amazon(std::string_view content, const std::string& path,
                      const TextOptions& options) {
  RawEdges out;
  out.numeric = false;
  out.user_item = true;
  formats::Ids ids(false, out.names);
  formats::Lines lines(content, path);
  Keys keys(options.columns);
  const bool weighted = options.columns[Role::kWeight].has_value();
  bool timed = options.times != Times::kDrop || options.columns[Role::kTime].has_value();
  while (const auto line = lines.next()) {
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    Review review(keys);
    nlohmann::json::sax_parse(line->begin(), line->end(), &review);
    check_review(review, options, lines);
    ++out.report.rows;
    if (options.min_rating && *review.rating < *options.min_rating) {
      ++out.report.low_rated;
      continue;
    }
    out.pairs.push_back({*ids(review.user), *ids(review.item)});
    if (weighted) out.values.push_back(static_cast<float>(*review.weight));
    timed = timed && review.time;
    if (timed) out.times.push_back(*review.time);
  }
  if (out.report.rows == 0) throw_bad_data(path, 0, "no reviews in the file");
  if (!timed) out.times = {};
  out.asked_weights = weighted;
  constexpr std::pair<Role, const char*> kReported[] = {{Role::kSource, "user"},
                                                        {Role::kTarget, "item"},
                                                        {Role::kWeight, "weight"},
                                                        {Role::kRating, "rating"},
                                                        {Role::kTime, "time"}};
  for (const auto& [role, word] : kReported)
    if (!keys.name(role).empty()) out.report.columns.emplace_back(word, keys.name(role));
  return out;
}

}  // namespace mcns
