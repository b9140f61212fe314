// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specs that there are, and which of them fits a checkpoint best: by the
// tensors that its tables name with the shapes that they have.

#ifndef TRANSFOLD_COMPILER_DRAFT_NEAREST_H
#define TRANSFOLD_COMPILER_DRAFT_NEAREST_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"

#include <map>
#include <optional>
#include <string>

namespace transfold::draft {

/// Paths of specs by the names of their models.
using SpecFiles = std::map<std::string, std::string>;

struct Candidate {
  std::string model, path;
  spec::Fit fit;
  size_t agreeing = 0, tensors = 0; // of the checkpoint

  /// Whether nearly all tensors of the checkpoint are those of this spec, and
  /// nearly all of the spec are there: its equations are a start.
  bool isStart() const;
  /// "20 of 21 tensors"
  std::string share() const;
};

/// One spec with how it fits; `root` is the folder that holds std/.
Candidate candidate(const std::string &model, const std::string &path,
                    const std::string &root,
                    const checkpoint::Checkpoint &checkpoint);

/// The one that fits best; none where no spec names any tensor.
std::optional<Candidate> nearest(const SpecFiles &specs,
                                 const std::string &root,
                                 const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_NEAREST_H
