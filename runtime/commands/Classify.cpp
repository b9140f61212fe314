// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `classify`: which of the model's labels a text has. The entry gives
// a number for each class; their softmax are probabilities.

#include "runtime/commands/Commands.h"
#include "runtime/commands/Labels.h"
#include "runtime/commands/TextCall.h"
#include "runtime/files/OutputFile.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

void printPlain(const std::string &text, bool withText,
                const std::vector<Label> &labels) {
  if (withText)
    print(text + "\n");
  size_t width = 0;
  for (const Label &label : labels)
    width = std::max(width, label.name.size());
  for (const Label &label : labels)
    print(fmt::format("{}{:<{}}  {:.4f}\n", withText ? "  " : "", label.name,
                      width, label.score));
}

} // namespace

void classify(Session &session, const RankingOptions &options) {
  TextCall call(session, "classify");
  const Shape &shape = call.entry().results[0].shape;
  if (shape.size() != 1 || shape[0].length >= 0 || shape[0].size < 1)
    fail("entry '{}' does not give one number for each class",
         call.entry().name);
  auto classes = static_cast<size_t>(shape[0].size);
  Labels names(call.task(), classes);
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    call.run(text, number);
    std::vector<Label> labels = names.likeliest(call.result(0), options.top);
    if (options.json)
      print(fmt::format("{{\"text\": {}, \"classes\": {}}}\n",
                        nlohmann::json(text).dump(), jsonOf(labels, classes)));
    else
      printPlain(text, options.texts.size() != 1, labels);
  });
}

} // namespace transfold::runtime
