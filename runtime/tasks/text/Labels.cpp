// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names come from the model's files and may be missing or incomplete: then
// numbers take their place.

#include "runtime/tasks/text/Labels.h"

#include "runtime/tasks/text/Ranking.h"

#include <fmt/ranges.h>

#include <cmath>

namespace transfold::runtime::inline tasks {

Labels::Labels(const Task &task, size_t classes) {
  for (size_t i = 0; i < classes; ++i)
    names.push_back(fmt::to_string(i));
  auto how = task.options.find("scores");
  if (how != task.options.end())
    isSigmoid = *how == "sigmoid";
  auto option = task.options.find("labels");
  if (option == task.options.end())
    return;
  for (size_t i = 0; i < classes; ++i) {
    const nlohmann::ordered_json *name = nullptr;
    if (option->is_array() && i < option->size())
      name = &(*option)[i];
    else if (option->is_object() && option->contains(names[i]))
      name = &(*option)[names[i]];
    if (name && name->is_string())
      names[i] = name->get<std::string>();
  }
}

std::vector<Label> Labels::argmax(std::span<const float> logits,
                                  size_t count) const {
  // The score of a single class is a raw value, not a probability.
  std::vector<double> scores(logits.begin(), logits.end());
  if (isSigmoid)
    for (double &score : scores)
      score = 1 / (1 + std::exp(-score));
  else if (names.size() != 1)
    scores = softmax(logits);
  std::vector<Label> result;
  for (size_t i : largest(scores, count))
    result.push_back({i, names[i], scores[i]});
  return result;
}

std::string jsonOf(std::span<const Label> labels, size_t classes) {
  std::vector<std::string> parts;
  for (const Label &label : labels)
    parts.push_back(fmt::format("{{\"label\": {}, \"{}\": {}}}",
                                nlohmann::ordered_json(label.name).dump(),
                                classes == 1 ? "score" : "probability",
                                static_cast<float>(label.score)));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

} // namespace transfold::runtime::inline tasks
