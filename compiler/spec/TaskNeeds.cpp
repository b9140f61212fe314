// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task needs of its entries: the shape of the first result of the last
// of them. A program of the task reads it without asking again.

#include "compiler/spec/TaskOptions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::spec {

namespace {
enum class Shape {
  OneRow,      // of the whole: [d]
  RowForToken, // [n, vocab]
};

struct Needs {
  std::string_view task;
  Shape shape;
  const char *what;
};
} // namespace

static constexpr Needs needs[] = {
    {"embed", Shape::OneRow, "one row, [d]"},
    {"classify", Shape::OneRow, "a number for each class, [classes]"},
    {"tag", Shape::RowForToken, "numbers for each token, [n, classes]"},
    {"fill", Shape::RowForToken, "numbers for each token, [n, vocab]"},
    {"generate", Shape::RowForToken, "logits for each token, [n, vocab]"},
    {"chat", Shape::RowForToken, "logits for each token, [n, vocab]"},
    {"translate", Shape::RowForToken, "logits for each token, [n, vocab]"},
    {"transcribe", Shape::RowForToken, "logits for each token, [n, vocab]"},
};

static bool hasShape(const EntryInfo &entry, Shape wanted) {
  if (entry.results.empty())
    return false;
  const std::vector<Dim> &shape = entry.results[0].shape;
  if (wanted == Shape::OneRow)
    return shape.size() == 1;
  return shape.size() == 2 &&
         std::ranges::any_of(
             entry.arguments, [&](const ArgumentInfo &argument) {
               return argument.integer && argument.shape.size() == 1 &&
                      argument.shape[0] == shape[0];
             });
}

void checkTaskNeeds(const Task &task, const EntryInfo &last) {
  const auto *known = std::ranges::find(needs, task.kind, &Needs::task);
  if (known == std::end(needs) || hasShape(last, known->shape))
    return;
  std::vector<std::string> sizes;
  if (!last.results.empty())
    for (const Dim &size : last.results[0].shape)
      sizes.push_back(size.str());
  throw SpecError(
      task.entryPlaces.back(),
      fmt::format("task `{}` needs {} as the first result of its {}entry",
                  task.kind, known->what,
                  task.entries.size() > 1 ? "last " : ""),
      {fmt::format("`{}` gives {}[{}].", last.name,
                   last.results.empty() ? "nothing" : last.results[0].name,
                   fmt::join(sizes, ", "))});
}

} // namespace transfold::spec
