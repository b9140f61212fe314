// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a draft together, and lists at its end what it leaves open.

#include "compiler/draft/Draft.h"

#include "compiler/draft/Reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

using namespace transfold;
using namespace transfold::draft;

/// Encoder-decoders have writers of their own, because two stacks need two sets
/// of constants.
std::string draft::draftSpec(const checkpoint::Checkpoint &checkpoint,
                             const std::string &name) {
  Reading reading(checkpoint);
  if (reading.encoder)
    return pairEquationsOf(reading, name) + pairTablesOf(reading);
  return equationsOf(reading, name) + tablesOf(reading);
}

/// Replaces numbers in a name: "model.layers.0.mlp.up" becomes
/// "model.layers.*.mlp.up".
static std::string withoutNumbers(const std::string &name) {
  std::string pattern;
  for (size_t k = 0; k < name.size(); ++k) {
    bool isDigit = std::isdigit(static_cast<unsigned char>(name[k]));
    bool beginsWord = k == 0 || name[k - 1] == '.' || pattern.ends_with('*');
    if (!isDigit || !beginsWord)
      pattern += name[k];
    else if (!pattern.ends_with('*'))
      pattern += '*';
  }
  return pattern;
}

/// A line of a comment with arbitrary content, of at most 200 bytes.
static std::string comment(std::string line) {
  std::replace_if(
      line.begin(), line.end(),
      [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  size_t end = std::min<size_t>(line.size(), 200);
  while (end < line.size() && (line[end] & 0xC0) == 0x80)
    --end; // not within a character
  return "//   " + line.substr(0, end) + "\n";
}

/// The longest list under one title; a checkpoint may have thousands of
/// tensors.
static constexpr size_t maximumLines = 60;

namespace {
/// Collects the sections of the list at the end of a draft.
class ToDo {
public:
  std::string text;

  /// Adds a section, unless it has no lines.
  void add(const std::string &title, const std::vector<std::string> &lines) {
    if (lines.empty())
      return;
    text += "\n" + title;
    for (size_t k = 0; k < lines.size() && k < maximumLines; ++k)
      text += comment(lines[k]);
    if (lines.size() > maximumLines)
      text += fmt::format("//   and {} more\n", lines.size() - maximumLines);
  }
};
} // namespace

/// The names with their shapes; those of all layers become one line.
static std::vector<std::string>
patternsOf(const std::map<std::string, std::vector<int64_t>> &tensors) {
  std::map<std::string, std::vector<int64_t>> patterns;
  for (const auto &[tensor, shape] : tensors)
    patterns.emplace(withoutNumbers(tensor), shape);
  std::vector<std::string> lines;
  for (const auto &[pattern, shape] : patterns)
    lines.push_back(fmt::format("{} [{}]", pattern, fmt::join(shape, ", ")));
  return lines;
}

std::string draft::toDoList(const checkpoint::Checkpoint &checkpoint,
                            const spec::Fit &fit) {
  std::map<std::string, std::vector<int64_t>> left;
  for (const std::string &tensor : fit.left.tensors)
    left[tensor] = checkpoint.tensors().at(tensor).shape;
  std::vector<std::string> keys;
  for (const auto &[key, value] : fit.left.keys)
    keys.push_back(fmt::format("{} = {}", key, value));
  // Without the notes that help to find the cause.
  std::vector<std::string> failures;
  for (const std::string &failure : fit.failures)
    failures.push_back(failure.substr(0, failure.find('\n')));
  ToDo list;
  list.add("// To do: errors that keep the equations from being read. The "
           "lists below may be a\n"
           "// consequence.\n",
           failures);
  list.add("// To do: conditions that the configuration does not fulfill.\n",
           fit.unfulfilled);
  list.add("// To do: keys that nothing above reads. Apply each in an "
           "equation, `expect` the value that\n// changes nothing, or `ignore` "
           "it.\n",
           keys);
  list.add("// To do: tensors that no equation uses.\n", patternsOf(left));
  list.add(
      "// To do: tensors that equations expect with another shape than this.\n",
      patternsOf(fit.reshaped));
  list.add(
      "// To do: tensors that equations expect and the checkpoint lacks.\n",
      patternsOf(fit.missing));
  return list.text;
}
