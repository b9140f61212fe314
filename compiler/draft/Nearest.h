// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the existing spec that fits a checkpoint best, by the tensors that its
// tables name with the right shapes.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"

#include <map>
#include <optional>
#include <string>

namespace transfold::draft {

/// Paths of specs by the names of their models.
using SpecFiles = std::map<std::string, std::string>;

/// A spec, with how well it fits a checkpoint.
struct Candidate {
  std::string model, path;
  spec::Fit fit;
  size_t agreeing = 0, tensors = 0; // of the checkpoint

  /// Whether nearly all tensors of the checkpoint belong to this spec, and
  /// nearly all of the spec exist: then its equations are a good start.
  bool isStart() const;
  /// The tensors that agree, as a text: "20 of 21 tensors".
  std::string share() const;
};

/// Compares one spec with the checkpoint; `root` is the folder that holds std/.
Candidate candidate(const std::string &model, const std::string &path,
                    const std::string &root,
                    const checkpoint::Checkpoint &checkpoint);

/// The spec that fits best; nullopt if no spec names any of the tensors.
std::optional<Candidate> nearest(const SpecFiles &specs,
                                 const std::string &root,
                                 const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::draft
