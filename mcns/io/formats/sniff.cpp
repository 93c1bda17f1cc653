#include "mcns/io/formats/sniff.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mcns/core/error.h"
#include "mcns/core/names.h"
#include "mcns/io/text_sample.h"
#include "mcns/io/times.h"

namespace mcns {
namespace {

using namespace std::string_view_literals;

struct Foreign {
  std::string_view start;
  const char* what;
};

constexpr const char* kAsTable = "write it as a table (CSV or TSV) with one edge a line";

constexpr Foreign kForeign[] = {
    {"PAR1"sv, "a Parquet file"},
    {"ARROW1"sv, "an Arrow file"},
    {"PK\x03\x04"sv, "a zip archive (a spreadsheet, .npz or a packed file)"},
    {"\x89HDF"sv, "an HDF5 file"},
    {"SQLite format 3"sv, "an SQLite database"},
    {"\x93NUMPY"sv, "a NumPy array"},
    {"\x80\x04"sv, "a Python pickle"},
    {"\x80\x05"sv, "a Python pickle"},
    {"BZh"sv, "packed by bzip2 (gzip and zstd are read)"},
    {"\xfd"
     "7zXZ"sv,
     "packed by xz (gzip and zstd are read)"},
    {"\xff\xfe"sv, "text in UTF-16 (save it as UTF-8)"},
    {"\xfe\xff"sv, "text in UTF-16 (save it as UTF-8)"},
    {"<?xml"sv, "XML (GraphML, GEXF)"},
    {"<graphml"sv, "GraphML"},
    {"<gexf"sv, "GEXF"},
    {"<!"sv, "a web page"},
    {"<html"sv, "a web page"},
    {"<http"sv, "RDF triples"},
    {"*Vertices"sv, "a Pajek network"},
    {"*vertices"sv, "a Pajek network"},
    {"@relation"sv, "an ARFF file"},
    {"@RELATION"sv, "an ARFF file"},
    {"digraph "sv, "a DOT graph"},
    {"graph ["sv, "a GML graph"},
    {"graph {"sv, "a DOT graph"},
    {"Creator "sv, "a GML graph"},
    {"[["sv, "a JSON list (JSON is read with one object a line)"},
    {"[{"sv, "a JSON list (JSON is read with one object a line)"},
    {"[\n"sv, "a JSON list (JSON is read with one object a line)"},
    {"[ "sv, "a JSON list (JSON is read with one object a line)"},
};

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view{} : text.substr(begin);
}

/// User, item, a rating in halves up to five, seconds since 1970: u.data and ratings.dat.
bool looks_like_ratings(const TextSample& sample) {
  std::set<double> ratings;
  for (const SampleRow& row : sample.rows) {
    double rating = 0, time = 0;
    if (row.size() != 4 || !plain_integer(row[0].text) || !plain_integer(row[1].text) ||
        !parse_number(row[2].text, rating) || !parse_number(row[3].text, time))
      return false;
    const bool halves = rating >= 0.5 && rating <= 5 && 2 * rating == std::floor(2 * rating);
    if (!halves || !looks_like_time(time) || time != std::floor(time)) return false;
    ratings.insert(rating);
  }
  // Weights that are all alike tell nothing; two colons are MovieLens' own mark.
  return sample.separator == "::" ? !sample.rows.empty()
                                  : sample.separator == "\t" && ratings.size() > 1;
}

/// RecBole's header: user_id:token, item_id:token, rating:float
bool has_typed_header(const TextSample& sample) {
  if (sample.rows.empty() || sample.rows[0].size() < 2) return false;
  return std::ranges::all_of(sample.rows[0], [](const SampleField& field) {
    const auto colon = field.text.find(':');
    if (colon == std::string::npos) return false;
    const std::string type = field.text.substr(colon + 1);
    return type == "token" || type == "float" || type == "token_seq" || type == "float_seq";
  });
}

bool is_konect(const TextSample& sample) {
  const auto at = sample.banner.find_first_not_of(' ');
  if (at == std::string::npos) return false;
  const std::string text = sample.banner.substr(at);
  return text.starts_with("bip ") || text.starts_with("sym ") || text.starts_with("asym ");
}

}  // namespace

std::string sniff_format(std::string_view content, const TextOptions& options,
                         const std::string& path) {
  const std::string_view text = without_blanks(content);
  if (content.starts_with("MATLAB 5.0")) return "mat";
  if (text.starts_with("%%MatrixMarket") || text.starts_with("%%matrixmarket")) return "mtx";
  if (text.starts_with('{')) return "amazon";
  for (const Foreign& foreign : kForeign)
    if (content.starts_with(foreign.start) || text.starts_with(foreign.start))
      throw_bad_data(path, 0, fmt::format("this is {}; {}", foreign.what, kAsTable));
  const TextSample sample = take_sample(content, options.separator);
  if (has_typed_header(sample)) return "inter";
  const bool one_set = options.user_item == false;
  if (!one_set && !options.columns.has_ends() && !is_konect(sample) && !options.header &&
      looks_like_ratings(sample))
    return "movielens";
  // Lists of one set of nodes look the same, so the user must have said what they are.
  if (options.user_item == true && !options.columns.has_ends() && looks_like_lists(sample))
    return "lightgcn";
  return "edges";
}

}  // namespace mcns
