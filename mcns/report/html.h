// One self-contained page: a style sheet for light and dark, tables, and places for plots. Nothing
// is loaded from anywhere.
#pragma once

#include <string>
#include <vector>

namespace mcns {

using TextRows = std::vector<std::vector<std::string>>;

/// First row is the header. Columns whose cells are numbers are right-aligned; rows named in
/// `marked` (by index, the header is 0) stand out.
std::string html_table(const TextRows& rows, const std::vector<std::size_t>& marked = {});

/// Plots side by side where the window is wide enough.
std::string html_figures(const std::vector<std::string>& svgs);

/// Closed until it is opened; `body` is HTML.
std::string html_details(const std::string& summary, const std::string& body);

/// `lead` is a line of text under the title, `body` is HTML.
std::string html_page(const std::string& title, const std::string& lead, const std::string& body);

}  // namespace mcns
