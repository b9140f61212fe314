// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input arrays of `eval`: one for each argument, with the batch as first
// axis, and masks that define where a sequence ends.

#pragma once

#include "base/files/arrays/Npy.h"
#include "runtime/program/metadata/Metadata.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Named arrays, checked against the program.
class EvalInputs {
public:
  /// Reads NAME=FILE for each input. Every name must be an argument of some
  /// entry, or a mask: `attention_mask` belongs to `input_ids`, or to
  /// `input_values` or `input_features`, `decoder_attention_mask` to
  /// `decoder_input_ids`. Throws Error.
  EvalInputs(const Metadata &metadata, const std::vector<std::string> &inputs);
  /// The same for named arrays.
  using Named = std::pair<std::string, NpyArray>;
  EvalInputs(const Metadata &metadata, std::vector<Named> inputs);

  /// Number of sequences, the same in every array.
  int64_t batch() const { return sequences; }
  /// The array for an argument, or null.
  const NpyArray *find(const Argument &argument) const;
  /// How to provide a missing input, for a message: "--in NAME=FILE".
  std::string wayToGive(const std::string &name) const {
    return isOfFiles ? "--in " + name + "=FILE" : "an array '" + name + "'";
  }
  /// Number of valid positions of the argument's first axis in sequence
  /// `index`; without a mask, the extent of the array.
  int64_t valid(const Argument &argument, int64_t index) const;

private:
  std::map<std::string, NpyArray> arrays; // without the masks
  /// Number of valid positions of every sequence, by the name of the masked
  /// array.
  std::map<std::string, std::vector<int64_t>> validPositions;
  int64_t sequences = -1;
  bool isOfFiles = false;
  std::set<std::string> known; // names of the arguments

  /// Masks by their names. They are read last, since they may come before the
  /// arrays that they mask.
  using Masks = std::map<std::string, NpyArray>;
  void checkName(const std::string &place, const std::string &name) const;
  /// Adds an array or a mask. Throws Error if the name is given twice, or if
  /// the batch differs; `place` is the beginning of the message.
  void take(const std::string &place, const std::string &name, NpyArray array,
            Masks &masks);
  /// Count the valid positions by masks. Throw Error if a mask has no array,
  /// another shape than its array, or padding before the end.
  void readMasks(const Masks &masks);
  void readMask(const std::string &name, const NpyArray &mask);
  /// Compares the first axis with those of earlier arrays. Throws Error.
  void countSequences(const std::string &name, const NpyArray &array);
};

} // namespace transfold::runtime::inline tasks
