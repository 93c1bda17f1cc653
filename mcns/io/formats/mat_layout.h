// Whether a MATLAB file is one whose parts lie where it says. libmatio allocates by the sizes that
// stand in the file before it sees how little follows, and leaves HDF5 to print what it finds.
#pragma once

#include <string>
#include <string_view>

namespace mcns {

/// Throws Error(kData) for a file of another version than 5 (MATLAB 5 to 7.2, and `save -v7`), and
/// for one with a part that is longer than what it is a part of, or that unpacks to more than
/// most_unpacked() allows. O(bytes unpacked) time; a packed variable is unpacked in memory.
void check_mat_layout(const std::string& path, std::string_view bytes);

}  // namespace mcns
