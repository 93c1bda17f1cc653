// The files of a graph and its held-out pairs, read with options that fit each other, before their
// ids become rows.
#pragma once

#include <optional>
#include <vector>

#include "mcns/io/assemble.h"
#include "mcns/io/dataset.h"
#include "mcns/io/text_layout.h"

namespace mcns {

struct ReadFiles {
  std::vector<SourceFile> sources;  ///< train, then valid and test where they are given
  LoadOptions options;              ///< as the training file was read: every field is settled
};

/// `task` determines what the values of held-out pairs are: labels of linkpred, and where there is
/// no task, of pairs of one set of nodes. The format of the training file is also
/// that of held-out files that end alike, or where the options say that it is text.
ReadFiles read_files(const DatasetFiles& files, std::optional<Task> task, const LoadOptions& given,
                     ThreadPool& pool, Times times = Times::kDrop);

/// A table of training edges in memory, as if it had been read with these options; refuses options
/// that only a file has.
void take_memory(SourceFile& table, const LoadOptions& given, Times times);

/// The training edges that count, by --duplicates last and --core. The report counts the others.
void select_training_edges(RawEdges& edges, const LoadOptions& options, const std::string& path);

}  // namespace mcns
