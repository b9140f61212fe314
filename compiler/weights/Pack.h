// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs a weight into the bytes that a program reads, any part of it at a time.
// The units of packing are whole panels for a weight with panels, and whole
// rows (elements for a vector) otherwise. Units are contiguous.
//
//   W<k, c> in panels: [ceil(c / width)] units of [k / 2][width][2] numbers

#pragma once

#include "dialect/Dialect.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace transfold::checkpoint {
class Checkpoint;
}

namespace transfold::weights {

/// The units of a weight.
struct Units {
  int64_t count;   // units of a member
  int64_t bytes;   // bytes of a unit
  int64_t atATime; // units to pack at a time
};
/// The units of a placed weight.
Units unitsOf(xf::StoredOp stored);

/// Writes units `first` … `first + count - 1` of a member to `to`. Thread-safe.
/// If the tensor has blocks that are copied unchanged although a scale is
/// infinite or NaN, returns the name of the tensor, otherwise an empty text.
/// Throws reference::InterpreterError, also for such values elsewhere.
std::string packUnits(xf::StoredOp stored, int64_t member,
                      const checkpoint::Checkpoint &checkpoint, int64_t first,
                      int64_t count, std::byte *to);

} // namespace transfold::weights
