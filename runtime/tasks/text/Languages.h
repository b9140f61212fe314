// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The languages of a task: their tokens, and where these are placed. Specs
// define them by the options `languages`, a record of codes and tokens,
// `source_language` and `target_language` (docs/language.md).

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Whether two language codes are equal, ignoring case.
bool isSameCode(std::string_view a, std::string_view b);

/// The languages of one task.
class Languages {
public:
  /// Throws Error if the options are damaged.
  explicit Languages(const Task &task);

  bool empty() const { return tokens.empty(); }
  /// Whether a source begins with the token of its language.
  bool marksSource() const { return !empty() && source; }
  /// Whether a source begins with the token of the target language; otherwise
  /// that token is forced as the first one of the target.
  bool marksTargetInSource() const { return targetInSource; }
  /// Whether a token stands for a language.
  bool isLanguage(int32_t token) const;
  /// The token of a language code, ignoring case. Throws Error if there is
  /// none, with the most similar codes.
  int32_t token(const std::string &code) const;
  /// Some codes, for messages: "af, am, ar, … (100)".
  std::string some() const;

private:
  /// The token of each language code.
  std::map<std::string, int32_t> tokens;
  bool source = false, targetInSource = false;
};

} // namespace transfold::runtime::inline tasks
