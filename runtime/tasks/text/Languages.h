// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The languages of a task: which tokens stand for them, and where these go.
// Specs say it in options: `languages`, a record of codes and tokens,
// `source_language` and `target_language` (docs/language.md).

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_LANGUAGES_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_LANGUAGES_H

#include "runtime/program/metadata/Metadata.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

/// Whether two codes of languages are the same but for capital letters.
bool isSameCode(std::string_view a, std::string_view b);

class Languages {
public:
  /// Throws Error where the options are damaged.
  explicit Languages(const Task &task);

  bool empty() const { return tokens.empty(); }
  /// Whether a source begins with the token of its language.
  bool marksSource() const { return !empty() && source; }
  /// Whether a source begins with the token of the language that it becomes;
  /// otherwise that token is forced first.
  bool marksTargetInSource() const { return targetInSource; }
  bool isLanguage(int32_t token) const;
  /// The token of a code, in whatever case it is written. Throws Error where
  /// there is none, with those that are spelt most like it.
  int32_t token(const std::string &code) const;
  /// Some codes, for messages: "af, am, ar, … (100)".
  std::string some() const;

private:
  std::map<std::string, int32_t> tokens;
  bool source = false, targetInSource = false;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_LANGUAGES_H
