// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays from files as arguments of an entry: the first axis is the batch, the
// other axes are the argument's shape.

#pragma once

#include "base/files/arrays/Npy.h"
#include "runtime/program/call/Call.h"

#include <vector>

namespace transfold::runtime::inline program {

/// Marks a length of an entry that no array has determined yet.
constexpr int64_t unknownLength = -1;

/// Checks that an array is a batch of the argument's shape, and sets the
/// entry's lengths that the array determines. Throws Error if the shape does
/// not fit or if a length is already known and differs.
void readExtents(const Entry &entry, const Argument &argument,
                 const NpyArray &array, std::vector<int64_t> &lengths);

/// Fills an argument of one of the call's sequences with row `row` of a padded
/// array, whose lengths are `padded`. Throws Error if the array holds integers.
void fillReals(Call &call, size_t argument, size_t sequence,
               const NpyArray &array, int64_t row,
               const std::vector<int64_t> &padded);

} // namespace transfold::runtime::inline program
