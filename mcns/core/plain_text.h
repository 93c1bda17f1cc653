// Text of users that ends up in tables, files of lines and terminals: what an id may not hold, and
// how doubtful text is shown. One rule for all formats, so that no id can forge a line of
// nodes.tsv, move the cursor of a terminal or reverse the text around it.
#pragma once

#include <string>
#include <string_view>

namespace mcns {

/// What is wrong with an id, for messages; empty if nothing is. Control characters (U+0000 to
/// U+001F, U+007F to U+009F), line and paragraph separators (U+2028, U+2029) and characters that
/// override the direction of text (U+202A to U+202E, U+2066 to U+2069) are refused. Bytes that are
/// no UTF-8 are not: ids in other encodings are ids.
std::string id_problem(std::string_view id);

/// The same of other text that stands beside ids; `what` names it in the message.
std::string text_problem(const char* what, std::string_view text);

/// The text with what id_problem refuses, ends of lines too, and bytes that are no UTF-8, as \xNN.
std::string printable(std::string_view text);

/// Whether the text is an integer as people write it: digits, perhaps a minus before them, no
/// leading zeros, which some readers take for base eight.
bool is_plain_integer(std::string_view text);

/// A word as a shell takes it: in quotation marks where it needs them.
std::string quoted(const std::string& word);

}  // namespace mcns
