// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a spec fits a checkpoint that it was not written for: all tables are
// evaluated, and mismatches are noted instead of thrown.

#pragma once

#include "compiler/spec/Model.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::spec {

/// The result of comparing a spec with a checkpoint.
struct Fit {
  /// The shapes that the equations need: of tensors that are missing, and of
  /// tensors that exist with another shape.
  std::map<std::string, std::vector<int64_t>> missing, reshaped;
  LeftOver left;
  /// The texts of `expect` lines that the configuration does not fulfill.
  std::vector<std::string> unfulfilled;
  /// Errors that stopped the elaboration of equations, with their places. If
  /// there are any, `left` contains more than the spec really leaves unused.
  std::vector<std::string> failures;

  /// The number of tensors of the checkpoint that the tables name with the
  /// right shape.
  size_t agreeing(const checkpoint::Checkpoint &checkpoint) const;
};

/// Compares a spec with a checkpoint. Throws SpecError only for an invalid
/// spec, never because of the checkpoint.
Fit fitOf(const std::string &specPath, const std::string &root,
          const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::spec
