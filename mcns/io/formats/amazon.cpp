// Amazon product reviews (McAuley): JSON lines. The parser is event-driven: the review texts,
// nearly all of a file, are passed over without building a document.
#include <cmath>
#include <nlohmann/json.hpp>

#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/scan.h"

namespace mcns {
namespace {

/// Keeps the three fields of the outermost object; everything else passes by.
class Review : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string user, item, problem;
  double rating = -1;

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a boolean"); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    if (depth_ == 1 && field_ == Field::kUser) user = value;
    if (depth_ == 1 && field_ == Field::kItem) item = value;
    return depth_ == 1 && field_ == Field::kRating ? other("text") : scalar();
  }
  bool binary(binary_t&) override { return other("binary data"); }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool start_array(std::size_t) override { return scalar() && ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    field_ = name == "reviewerID" ? Field::kUser
             : name == "asin"     ? Field::kItem
             : name == "overall"  ? Field::kRating
                                  : Field::kOther;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    problem = "not a JSON object";
    return false;
  }

 private:
  enum class Field { kOther, kUser, kItem, kRating };

  /// A value outside of any object is JSON, but no review.
  bool scalar() {
    if (depth_ == 0) problem = "not a JSON object";
    return depth_ > 0;
  }
  bool number(double value) {
    if (depth_ == 1 && field_ == Field::kRating) rating = value;
    return depth_ == 1 && (field_ == Field::kUser || field_ == Field::kItem) ? other("a number")
                                                                             : scalar();
  }
  bool other(const char* what) {
    if (depth_ != 1 || field_ == Field::kOther) return scalar();
    problem = fmt::format("{} where {} belongs", what,
                          field_ == Field::kRating ? "a rating (overall)" : "an id");
    return false;
  }

  int depth_ = 0;
  Field field_ = Field::kOther;
};

}  // namespace

RawEdges parse_amazon(std::string_view content, const std::string& path) {
  RawEdges out;
  out.numeric = false;
  out.user_item = true;
  formats::Ids ids(false, out.names);
  formats::Lines lines(content, path);
  while (const auto line = lines.next()) {
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    Review review;
    nlohmann::json::sax_parse(line->begin(), line->end(), &review);
    if (!review.problem.empty()) lines.fail(review.problem);
    if (review.user.empty()) lines.fail("a review without reviewerID");
    if (review.item.empty()) lines.fail("a review without asin");
    if (!std::isfinite(review.rating) || review.rating < 0)
      lines.fail("a review without a rating >= 0 (overall)");
    out.pairs.push_back({*ids(review.user), *ids(review.item)});
    out.values.push_back(static_cast<float>(review.rating));
  }
  if (out.pairs.empty()) throw_bad_data(path, 0, "no reviews in the file");
  return out;
}

}  // namespace mcns
