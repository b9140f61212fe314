// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `classify`: the most likely labels of a text.

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/tasks/text/Classes.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// Prints a line for each label, after the text if there are several.
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
  Classifier classifier(session);
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    auto [encoding, labels] = classifier.run(text, options.top);
    warnIfCut(encoding, number);
    if (options.json)
      print(fmt::format("{{\"text\": {}, \"classes\": {}}}\n",
                        nlohmann::json(text).dump(),
                        jsonOf(labels, classifier.labels().all().size())));
    else
      printPlain(text, options.texts.size() != 1, labels);
  });
}

} // namespace transfold::runtime::inline commands
