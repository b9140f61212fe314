// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses untrusted JSON in linear time: requests, conversations, values of
// options. nlohmann's own parser, if it is given a callback, scans all values
// of a list or object again whenever one of them ends, and scans all names of
// an object for each name.

#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace transfold {

/// Limits of parseJsonText().
struct JsonLimits {
  size_t depth = 100;      // nesting depth of lists and objects
  size_t names = SIZE_MAX; // maximum number of names in one object
  /// Refuse integers beyond 64 bits, which would be rounded.
  bool exactIntegers = false;
  /// Called regularly; an exception that it throws ends the parsing.
  std::function<void()> look = {};
};

/// The value of a text. If an object has a name twice, the last value counts,
/// as in Python. Throws Error whose message is the rest of a sentence: "is not
/// JSON: line 1, column 2: …".
nlohmann::ordered_json parseJsonText(std::string_view text,
                                     const JsonLimits &limits);

} // namespace transfold
