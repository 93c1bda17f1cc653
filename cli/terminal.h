// What stderr is: a terminal or not, how wide, with colour or not; and one line of it that is
// updated in place.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mcns::cli {

/// Columns that a text takes on the screen.
int screen_width(const std::string& text);

/// The text in at most `width` columns; what is left out shows as … at the end.
std::string shortened(const std::string& text, int width);

/// The text with line ends put in where it would be wider, between words where there is a blank.
std::string wrapped(const std::string& text, int width);

class Terminal {
 public:
  static Terminal on_stderr();

  bool interactive() const { return interactive_; }
  /// Columns now: the terminal may be resized at any time. COLUMNS, else 80, where it does not say.
  int width() const;
  /// With escape sequences where the terminal has colour and NO_COLOR is not set.
  std::string coloured(const std::string& text, const char* colour) const;

  static constexpr const char* kRed = "31";
  static constexpr const char* kGreen = "32";
  static constexpr const char* kYellow = "33";
  static constexpr const char* kCyan = "36";

 private:
  bool interactive_ = false, colour_ = false;
};

/// One line on stderr, redrawn in place, that never takes more than the width of the terminal. Does
/// nothing where stderr is no terminal.
class StatusLine {
 public:
  struct Part {
    std::string text;
    int rank = 0;  ///< parts of the highest rank are left out first where there is no room
    const char* colour = nullptr;
    double share = -1;  ///< from 0: the part is a bar, as long as there is room, in place of text
  };

  ~StatusLine() { clear(); }
  bool interactive() const { return terminal_.interactive(); }
  const Terminal& terminal() const { return terminal_; }
  /// Whether the last drawing is a tenth of a second ago.
  bool is_due() const;
  void draw(const std::vector<Part>& parts);
  void clear();

 private:
  Terminal terminal_ = Terminal::on_stderr();
  int drawn_ = 0;  ///< columns
  std::chrono::steady_clock::time_point last_{};
};

/// "mcns: WHAT" on stderr; the word in red where there is colour.
void print_error(const std::string& what);
/// Text as it is; a stream that cannot be written is no fault of the work.
void put_stderr(const std::string& text);

/// A line of text on stderr: on a terminal it is wrapped between words.
void print_note(const std::string& text);

}  // namespace mcns::cli
