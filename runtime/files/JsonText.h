// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON that somebody else wrote, in time that grows with its size: requests,
// conversations, values of options. nlohmann's own parser looks through all
// values of a list or an object again whenever one of them ends, if it is given
// a callback, and through all names of an object for each name.

#ifndef TRANSFOLD_RUNTIME_FILES_JSONTEXT_H
#define TRANSFOLD_RUNTIME_FILES_JSONTEXT_H

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace transfold::runtime {

struct JsonLimits {
  size_t depth = 100;      // of lists and objects within each other
  size_t names = SIZE_MAX; // of one object
  /// Refuses integers beyond 64 bits, which would be rounded.
  bool exactIntegers = false;
  /// Called now and then; what it throws ends the reading.
  std::function<void()> look = {};
};

/// The value of a text. Of a name that an object has twice the last value
/// counts, as in Python. Throws Error with what is wrong, as the rest of a
/// sentence: "is not JSON: line 1, column 2: …".
nlohmann::ordered_json parseJsonText(std::string_view text,
                                     const JsonLimits &limits);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_JSONTEXT_H
