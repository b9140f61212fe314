// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the text of a sequence is in its constraint.

#pragma once

#include "runtime/constrain/Forward.h"

#include <cstdint>
#include <memory>
#include <span>

namespace transfold::runtime::inline steps {

/// The progress of one sequence.
class ConstraintProgress {
public:
  ConstraintProgress();
  /// A copy begins anew: it reads the tokens so far when it is used.
  ConstraintProgress(const ConstraintProgress &other);
  ConstraintProgress &operator=(const ConstraintProgress &other);
  ConstraintProgress(ConstraintProgress &&other) noexcept;
  ConstraintProgress &operator=(ConstraintProgress &&other) noexcept;
  ~ConstraintProgress();

  /// Removes the tokens that cannot follow the generated tokens `made`. Throws
  /// Error if no token can.
  void apply(const TextConstraint &constraint, std::span<const int32_t> made,
             std::span<double> scores);

private:
  struct State;
  std::unique_ptr<State> state;

  void follow(const TextConstraint &constraint, std::span<const int32_t> made);
};

} // namespace transfold::runtime::inline steps
