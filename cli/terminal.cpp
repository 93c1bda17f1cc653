#include "cli/terminal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mcns/core/plain_text.h"

namespace mcns::cli {
namespace {

constexpr int kDefaultWidth = 80, kLeastBar = 8, kMostBar = 24;

/// Messages quote files, where lines may have any length. None of ours has several lines, so that
/// no text of a file can pass for one.
constexpr int kMostText = 2000;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

int columns_variable() {
  const char* text = std::getenv("COLUMNS");
  const int value = text == nullptr ? 0 : std::atoi(text);
  return value > 0 ? value : kDefaultWidth;
}

bool has_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

/// The share of `width` columns that is done.
std::string bar(double share, int width) {
  const int full = static_cast<int>(share * width);
  std::string out;
  for (int i = 0; i < width; ++i) out += i < full ? "━" : "─";
  return out;
}

}  // namespace

int screen_width(const std::string& text) {
  return static_cast<int>(std::ranges::count_if(text, begins_character));
}

std::string shortened(const std::string& text, int width) {
  if (screen_width(text) <= width) return text;
  if (width <= 0) return "";
  std::string out;
  int columns = 0;
  for (const char c : text) {
    if (begins_character(c) && ++columns == width) break;
    out += c;
  }
  return out + "…";
}

std::string wrapped(const std::string& text, int width) {
  std::string out, line;
  const auto put = [&](const std::string& word) {
    if (!line.empty() && screen_width(line) + 1 + screen_width(word) > width) {
      out += line + '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  };
  std::string word;
  for (const char c : text) {
    if (c != ' ') {
      word += c;
      continue;
    }
    put(word);
    word.clear();
  }
  put(word);
  return out + line;
}

Terminal Terminal::on_stderr() {
  Terminal out;
  out.interactive_ = isatty(STDERR_FILENO) == 1;
  out.colour_ = out.interactive_ && has_colour();
  return out;
}

int Terminal::width() const {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return columns_variable();
}

std::string Terminal::coloured(const std::string& text, const char* colour) const {
  return colour_ && colour != nullptr ? fmt::format("\033[{}m{}\033[0m", colour, text) : text;
}

bool StatusLine::is_due() const {
  return std::chrono::steady_clock::now() - last_ >= std::chrono::milliseconds(100);
}

void StatusLine::draw(const std::vector<Part>& parts) {
  if (!interactive()) return;
  last_ = std::chrono::steady_clock::now();
  // A full line would leave the cursor on the next one in some terminals.
  const int room = terminal_.width() - 1;
  std::vector<Part> kept = parts;
  for (Part& part : kept)
    if (part.share >= 0) part.text = bar(part.share, kLeastBar);
  const auto columns = [&] {
    int sum = 0;
    for (const Part& part : kept) sum += screen_width(part.text) + (sum > 0 ? 2 : 0);
    return sum;
  };
  while (kept.size() > 1 && columns() > room)
    kept.erase(std::ranges::max_element(kept, {}, &Part::rank));
  for (Part& part : kept)
    if (part.share >= 0)
      part.text = bar(part.share, std::min(kMostBar, kLeastBar + room - columns()));
  if (kept.size() == 1) kept[0].text = shortened(kept[0].text, room);
  std::string line;
  for (const Part& part : kept)
    line += (line.empty() ? "" : "  ") + terminal_.coloured(part.text, part.colour);
  clear();
  put_stderr(line);
  drawn_ = columns();
}

void StatusLine::clear() {
  if (drawn_ == 0) return;
  // A terminal that has become narrower shows the line on several rows.
  const int rows = (drawn_ - 1) / std::max(1, terminal_.width());
  // Row by row: erasing the rest of the screen would push it into the history of some terminals.
  std::string sequence = "\r\033[K";
  for (int i = 0; i < rows; ++i) sequence += "\033[A\033[K";
  put_stderr(sequence);
  drawn_ = 0;
}

void put_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void print_error(const std::string& what) {
  put_stderr(fmt::format("{} {}\n", Terminal::on_stderr().coloured("mcns:", Terminal::kRed),
                         shortened(printable(what), kMostText)));
}

void print_note(const std::string& text) {
  const Terminal terminal = Terminal::on_stderr();
  const std::string plain = shortened(printable(text), kMostText);
  put_stderr((terminal.interactive() ? wrapped(plain, terminal.width()) : plain) + "\n");
}

}  // namespace mcns::cli
