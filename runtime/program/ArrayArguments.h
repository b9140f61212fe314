// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of files as arguments of an entry: a batch along their first axis,
// then the argument's shape.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_ARRAYARGUMENTS_H
#define TRANSFOLD_RUNTIME_PROGRAM_ARRAYARGUMENTS_H

#include "runtime/files/Npy.h"
#include "runtime/program/Call.h"

#include <vector>

namespace transfold::runtime {

/// Of a length that no array has told yet.
constexpr int64_t unknownLength = -1;

/// Checks that an array has a batch of the argument's shape, and learns the
/// entry's lengths from it. Throws Error, also where a length is known and is
/// another one.
void readExtents(const Entry &entry, const Argument &argument,
                 const NpyArray &array, std::vector<int64_t> &lengths);

/// Fills an argument of one of the call's sequences with row `row` of an array
/// whose lengths are `padded`. Throws Error where the array holds no reals.
void fillReals(Call &call, size_t argument, size_t sequence,
               const NpyArray &array, int64_t row,
               const std::vector<int64_t> &padded);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_ARRAYARGUMENTS_H
