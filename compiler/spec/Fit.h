// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a spec fits a checkpoint that it was not written for: the tables are
// read to their end, and what does not fit is noted instead of being an error.

#ifndef TRANSFOLD_COMPILER_SPEC_FIT_H
#define TRANSFOLD_COMPILER_SPEC_FIT_H

#include "compiler/spec/Model.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::spec {

struct Fit {
  /// By the shape that the equations want: of tensors that are not there, and
  /// of those that are there with another one.
  std::map<std::string, std::vector<int64_t>> missing, reshaped;
  LeftOver left;
  /// What `expect` says and the configuration does not fulfil.
  std::vector<std::string> unfulfilled;
  /// Why equations could not be read to their end: messages with their places.
  /// Then more is left over than the spec leaves.
  std::vector<std::string> failures;

  /// Tensors of the checkpoint that the tables name with their shape.
  size_t agreeing(const checkpoint::Checkpoint &checkpoint) const;
};

/// Never throws because of the checkpoint; SpecError where the spec is none.
Fit fitOf(const std::string &specPath, const std::string &root,
          const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_FIT_H
