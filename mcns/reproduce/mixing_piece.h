// fig-mixing as a piece of stored work: a model is trained, and the distance of its chains to their
// distribution is measured (theory/mixing.h). One file holds all orders and numbers of steps of a
// column.
#pragma once

#include <atomic>

#include "mcns/compare/record_store.h"
#include "mcns/compare/run_record.h"
#include "mcns/reproduce/spec.h"

namespace mcns {

/// `plan` is the plan digest of the experiment, or empty where the data are not here.
Piece mixing_piece(const CellSpec& cell, const Experiment& experiment, const std::string& plan,
                   const RecordStore& store, const std::atomic<bool>* interrupted);
/// The same for all points of a column.
std::string mixing_file(const CellSpec& cell);

/// The point of the cell, an order and a number of steps, as a record with the metric `tv`. Nothing
/// where the file has none.
std::optional<RunRecord> mixing_record(const CellSpec& cell, const std::string& text,
                                       const std::string& path);

}  // namespace mcns
