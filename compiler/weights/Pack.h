// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a weight as a program reads them, any part of it at a time. A
// weight with panels is packed in whole panels, another one in whole rows (a
// vector in numbers): its units. They lie one behind the other.
//
//   W<k, c> in panels: [ceil(c / width)] units of [k / 2][width][2] numbers

#ifndef TRANSFOLD_COMPILER_WEIGHTS_PACK_H
#define TRANSFOLD_COMPILER_WEIGHTS_PACK_H

#include "dialect/Dialect.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace transfold::checkpoint {
class Checkpoint;
}

namespace transfold::weights {

struct Units {
  int64_t count;   // of a member
  int64_t bytes;   // of each
  int64_t atATime; // what is worth the call, and takes little memory
};
/// Of a weight that has its place.
Units unitsOf(xf::StoredOp stored);

/// Writes units `first` … `first + count - 1` of a member to `to`. From several
/// threads at once. Returns which tensor has blocks that stay as they are with
/// a scale that is infinite or no number, or an empty text. Throws
/// reference::InterpreterError, also for such numbers elsewhere.
std::string packUnits(xf::StoredOp stored, int64_t member,
                      const checkpoint::Checkpoint &checkpoint, int64_t first,
                      int64_t count, std::byte *to);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_PACK_H
