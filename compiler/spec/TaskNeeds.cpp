// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task requires of its entries: the shape of the first result of the
// last one. The runtime relies on that shape without checking it again.

#include "compiler/spec/names/TaskOptions.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::spec {

namespace {
/// The shape that a task requires of a result.
enum class Shape {
  OneRow,      // one row for the whole input: [d]
  RowForToken, // [n, vocab]
  RowForFrame, // [m, vocab], of a recording
};

/// A kind of task.
struct Kind {
  std::string_view name;
  Shape shape;
  const char *what; // describes the shape in messages
  bool makesTokens = false, hasLabels = false, hears = false;
};
} // namespace

/// The requirement of all tasks that generate tokens.
static constexpr const char *logits = "logits for each token, [n, vocab]";

/// All kinds of tasks; ScopeChecker::task rejects a spec that has another one.
static constexpr Kind kinds[] = {
    {"embed", Shape::OneRow, "one row, [d]"},
    {"classify", Shape::OneRow, "a score for each class, [classes]",
     /*makesTokens=*/false, /*hasLabels=*/true},
    {"tag", Shape::RowForToken, "scores for each token, [n, classes]",
     /*makesTokens=*/false, /*hasLabels=*/true},
    {"fill", Shape::RowForToken, "scores for each token, [n, vocab]"},
    {"generate", Shape::RowForToken, logits, /*makesTokens=*/true},
    {"chat", Shape::RowForToken, logits, /*makesTokens=*/true},
    {"translate", Shape::RowForToken, logits, /*makesTokens=*/true},
    {"transcribe", Shape::RowForToken, logits, /*makesTokens=*/true},
    {"recognize", Shape::RowForFrame,
     "logits for each frame of a recording, [m, vocab]",
     /*makesTokens=*/false, /*hasLabels=*/false, /*hears=*/true},
};

/// The task kind of that name; null if there is none.
static const Kind *kindOf(const std::string &name) {
  const auto *found = std::ranges::find(kinds, name, &Kind::name);
  return found == std::end(kinds) ? nullptr : found;
}

bool TaskInfo::makesTokens() const {
  const Kind *known = kindOf(kind);
  return known && known->makesTokens;
}

std::set<std::string> taskKinds() {
  std::set<std::string> names;
  for (const Kind &kind : kinds)
    names.emplace(kind.name);
  return names;
}

/// All kinds share the options for their inputs; the others depend on what the
/// kind does with its results.
std::set<std::string> optionsOfTask(const std::string &kind) {
  // For texts: `max_tokens`. For images (how they are converted to input
  // values): `features` and `file`.
  std::set<std::string> options = {"max_tokens", "features", "file"};
  const Kind *known = kindOf(kind);
  if (known && known->hasLabels)
    options.insert({"labels", "scores"});
  if (kind == "embed")
    options.insert("prompt");
  if (known && known->hears)
    options.insert({"rate", "blank", "words", "delimiter", "window"});
  if (known && known->makesTokens) {
    options.insert(std::begin(tokenOptions), std::end(tokenOptions));
    options.insert(std::begin(samplingOptions), std::end(samplingOptions));
    options.insert(std::begin(speechTokens), std::end(speechTokens));
    options.insert(std::begin(speechOptions), std::end(speechOptions));
    options.insert({"exclude", "rate", "source_language", "target_language"});
  }
  return options;
}

/// Whether the first result of `entry` has the shape `wanted`; for RowForToken
/// its rows must correspond to an integer argument of rank 1, for RowForFrame
/// there must be any number of them.
static bool hasShape(const EntryInfo &entry, Shape wanted) {
  if (entry.results.empty())
    return false;
  const std::vector<Dim> &shape = entry.results[0].shape;
  if (wanted == Shape::OneRow)
    return shape.size() == 1;
  if (wanted == Shape::RowForFrame)
    return shape.size() == 2 && !shape[0].asNumber();
  return shape.size() == 2 &&
         std::ranges::any_of(
             entry.arguments, [&](const ArgumentInfo &argument) {
               return argument.integer && argument.shape.size() == 1 &&
                      argument.shape[0] == shape[0];
             });
}

void checkTaskNeeds(const Task &task, const EntryInfo &last) {
  const Kind *known = kindOf(task.kind);
  if (!known || hasShape(last, known->shape))
    return;
  std::vector<std::string> sizes;
  if (!last.results.empty())
    for (const Dim &size : last.results[0].shape)
      sizes.push_back(size.str());
  throw SpecError(
      Code::TaskResult, task.entryPlaces.back(),
      fmt::format("task `{}` needs {} as the first result of its {}entry",
                  task.kind, known->what,
                  task.entries.size() > 1 ? "last " : ""),
      {fmt::format("`{}` gives {}[{}].", last.name,
                   last.results.empty() ? "nothing" : last.results[0].name,
                   fmt::join(sizes, ", "))});
}

} // namespace transfold::spec
