// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares shapes of arrays with those of arguments, and copies elements from
// the padded layout of files to the dense one of kernels.

#include "runtime/program/call/ArrayArguments.h"

#include "base/Error.h"
#include "runtime/program/call/PaddedLayout.h"

namespace transfold::runtime::inline program {

void readExtents(const Entry &entry, const Argument &argument,
                 const NpyArray &array, std::vector<int64_t> &lengths) {
  const std::vector<int64_t> &shape = array.shape();
  bool fits = shape.size() == argument.shape.size() + 1;
  for (size_t i = 0; fits && i < argument.shape.size(); ++i)
    fits =
        argument.shape[i].length >= 0 || argument.shape[i].size == shape[i + 1];
  if (!fits)
    fail("{}: has shape [{}]; expected {} for each sequence of the batch",
         argument.external, fmt::join(shape, ", "),
         text(argument.shape, entry));
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    if (argument.shape[i].length < 0)
      continue;
    auto index = static_cast<size_t>(argument.shape[i].length);
    if (lengths[index] != unknownLength && lengths[index] != shape[i + 1])
      fail("{}: {} is {} here but {} in another input", argument.external,
           entry.lengths[index], shape[i + 1], lengths[index]);
    lengths[index] = shape[i + 1];
  }
}

void fillReals(Call &call, size_t index, size_t sequence, const NpyArray &array,
               int64_t row, const std::vector<int64_t> &padded) {
  const Argument &argument = call.entry().arguments[index];
  if (array.isInteger())
    fail("{}: must hold reals (float32 or float64)", argument.external);
  int64_t start = row * elements(argument.shape, padded);
  std::span<float> to = call.reals(index, sequence);
  PaddedLayout(argument.shape, call.lengths(sequence), padded)
      .forEach([&](int64_t from, int64_t dense) {
        to[static_cast<size_t>(dense)] =
            static_cast<float>(array.real(start + from));
      });
}

} // namespace transfold::runtime::inline program
