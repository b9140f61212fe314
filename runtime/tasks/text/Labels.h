// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of a model by their names, and which of them are the likeliest.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_LABELS_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_LABELS_H

#include "runtime/program/metadata/Metadata.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// A label and its probability, or its grade where there is one class only.
struct Label {
  size_t number;
  std::string name;
  double score;
};

class Labels {
public:
  /// The names of a task's classes are its option `labels`: a list, or an
  /// object {"0": "name"}. Those without a name are called by their number.
  /// Its option `scores` is "sigmoid" where classes exclude no other.
  Labels(const Task &task, size_t classes);

  const std::vector<std::string> &all() const { return names; }
  /// The `count` likeliest, given a number for each class.
  std::vector<Label> likeliest(std::span<const float> logits,
                               size_t count) const;

private:
  std::vector<std::string> names;
  /// Each class for itself: numbers become probabilities by 1 / (1 + exp(-x)).
  bool isSigmoid = false;
};

/// [{"label": "red", "probability": 0.9}, …]; "score" for a grade.
std::string jsonOf(std::span<const Label> labels, size_t classes);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_LABELS_H
