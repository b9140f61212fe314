// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `classify`: the most likely labels of a text.

#include "runtime/commands/text/RankEach.h"
#include "runtime/tasks/text/Classes.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// Prints a line for each label.
void printPlain(const std::vector<Label> &labels, bool indented) {
  size_t width = 0;
  for (const Label &label : labels)
    width = std::max(width, label.name.size());
  for (const Label &label : labels)
    print(fmt::format("{}{:<{}}  {:.4f}\n", indented ? "  " : "", label.name,
                      width, label.score));
}

} // namespace

void classify(Session &session, const RankingOptions &options) {
  Classifier classifier(session);
  rankEach(
      classifier, options,
      [&](const std::string &text, const auto &labels, bool indented) {
        if (options.json)
          print(fmt::format("{{\"text\": {}, \"classes\": {}}}\n",
                            nlohmann::ordered_json(text).dump(),
                            jsonOf(labels, classifier.labels().all().size())));
        else
          printPlain(labels, indented);
      });
}

} // namespace transfold::runtime::inline commands
