// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a model's classes, and selection of the most likely ones.

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// A label and its probability; if there is only one class, its raw score.
struct Label {
  size_t number;
  std::string name;
  double score;
};

/// The names of a task's classes.
class Labels {
public:
  /// The names are the task's option `labels`: a list, or an object {"0":
  /// "name"}. Classes without a name are called by their number. The option
  /// `scores` is "sigmoid" if classes are not mutually exclusive.
  Labels(const Task &task, size_t classes);

  const std::vector<std::string> &all() const { return names; }
  /// The `count` most likely labels, given a logit for each class.
  std::vector<Label> argmax(std::span<const float> logits, size_t count) const;

private:
  std::vector<std::string> names;
  /// Independent classes: probabilities are 1 / (1 + exp(-x)).
  bool isSigmoid = false;
};

/// The labels as JSON: [{"label": "red", "probability": 0.9}, …]; "score" for a
/// raw score.
std::string jsonOf(std::span<const Label> labels, size_t classes);

} // namespace transfold::runtime::inline tasks
