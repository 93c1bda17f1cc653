// Small tables of text beside the data: lists of ids, names of items. Any number of columns;
// edges have readers of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mcns {

/// The bytes of a file of text, without a byte order mark at its begin.
std::string_view without_mark(std::string_view bytes);

/// Calls f(line) for every line that is not empty, without its end; a byte order mark is skipped.
void for_each_line(std::string_view bytes, const std::function<void(std::string_view)>& f);

/// Fields of a line, blanks around them removed. A field in double quotes may hold the separator,
/// and a doubled quote for one.
std::vector<std::string> split_fields(std::string_view line, std::string_view separator);

/// Whether the name ends in .csv, packed or not.
bool is_csv_name(std::string_view path);

/// The bytes if they are UTF-8, else the text that they are in Latin-1, with U+FFFD for its control
/// characters (0x80 to 0x9f), which a terminal would obey.
std::string as_utf8(std::string_view bytes);

/// Readable names by id, from a table such as a list of films. The separator is the first of tab,
/// ::, |, ; and comma that the first line has. Ids are in the first column (the second where the
/// first has no heading, as pandas writes an index), names in the one headed `name` or `title`,
/// else in the first after the ids that has no number in the first line. A name that holds what no
/// id may hold (plain_text.h) is an Error of kind kData.
using NamesById = std::unordered_map<std::string, std::string>;
NamesById read_names(const std::string& path);

}  // namespace mcns
