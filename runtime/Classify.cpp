// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `classify`: which of the model's labels a text has. The entry gives
// a number for each class; their softmax are probabilities.

#include "runtime/Commands.h"
#include "runtime/OutputFile.h"
#include "runtime/TextCall.h"

namespace transfold::runtime {

namespace {

/// The names of the classes: a list, or an object {"0": "name"}. Those without
/// a name are called by their number.
std::vector<std::string> labelsOf(const Task &task, size_t classes) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < classes; ++i)
    labels.push_back(fmt::to_string(i));
  auto option = task.options.find("labels");
  if (option == task.options.end())
    return labels;
  for (size_t i = 0; i < classes; ++i) {
    const nlohmann::json *name = nullptr;
    if (option->is_array() && i < option->size())
      name = &(*option)[i];
    else if (option->is_object() && option->contains(labels[i]))
      name = &(*option)[labels[i]];
    if (name && name->is_string())
      labels[i] = name->get<std::string>();
  }
  return labels;
}

void printPlain(const std::string &text, bool withText,
                const std::vector<std::string> &labels,
                const std::vector<double> &values,
                const std::vector<size_t> &chosen) {
  if (withText)
    print(text + "\n");
  size_t width = 0;
  for (size_t i : chosen)
    width = std::max(width, labels[i].size());
  for (size_t i : chosen)
    print(fmt::format("{}{:<{}}  {:.4f}\n", withText ? "  " : "", labels[i],
                      width, values[i]));
}

void printJson(const std::string &text, const std::vector<std::string> &labels,
               const std::vector<double> &values,
               const std::vector<size_t> &chosen, const char *what) {
  std::vector<std::string> parts;
  for (size_t i : chosen)
    parts.push_back(fmt::format("{{\"label\": {}, \"{}\": {}}}",
                                nlohmann::json(labels[i]).dump(), what,
                                static_cast<float>(values[i])));
  print(fmt::format("{{\"text\": {}, \"classes\": [{}]}}\n",
                    nlohmann::json(text).dump(), fmt::join(parts, ", ")));
}

} // namespace

void classify(Session &session, const ClassifyOptions &options) {
  TextCall call(session, "classify");
  const Shape &shape = call.entry().results[0].shape;
  if (shape.size() != 1 || shape[0].length >= 0 || shape[0].size < 1)
    fail("entry '{}' does not give one number for each class",
         call.entry().name);
  auto classes = static_cast<size_t>(shape[0].size);
  std::vector<std::string> labels = labelsOf(call.task(), classes);
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    call.run(text, number);
    std::span<const float> logits = call.result(0);
    // A single number is a grade, and no probability.
    bool grade = classes == 1;
    std::vector<double> values =
        grade ? std::vector<double>{logits[0]} : softmax(logits);
    std::vector<size_t> chosen = largest(values, options.top);
    if (options.json)
      printJson(text, labels, values, chosen, grade ? "score" : "probability");
    else
      printPlain(text, options.texts.size() != 1, labels, values, chosen);
  });
}

} // namespace transfold::runtime
