// The format of a file by its content.
#pragma once

#include <string>
#include <string_view>

#include "mcns/io/text_layout.h"

namespace mcns {

/// One of edge_formats(). A file that is known and cannot be read (Parquet, GraphML, ...) is an
/// Error of kind kData that says what it is and what to do.
std::string sniff_format(std::string_view content, const TextOptions& options,
                         const std::string& path);

}  // namespace mcns
