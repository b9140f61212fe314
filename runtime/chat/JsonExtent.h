// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the end of a list or an object in JSON text that arrives in pieces.

#pragma once

#include <cstddef>
#include <string_view>

namespace transfold::runtime::chat {

/// Reads the bytes of one list or object of JSON. The text itself is not
/// checked: only brackets and strings matter.
class JsonExtent {
public:
  /// Reads the next byte. Returns whether the value ends with it.
  bool add(char byte) {
    if (isInString) {
      if (isEscaped)
        isEscaped = false;
      else if (byte == '\\')
        isEscaped = true;
      else if (byte == '"')
        isInString = false;
      return false;
    }
    if (byte == '"')
      isInString = true;
    else if (byte == '{' || byte == '[')
      ++depth;
    else if (byte == '}' || byte == ']')
      depth -= depth > 0 ? 1 : 0;
    else
      return false;
    return depth == 0 && !isInString;
  }

  /// The length of the list or object at the beginning of a text; 0 if the text
  /// does not begin with one, or ends before it.
  static size_t lengthOf(std::string_view text) {
    if (!text.starts_with('{') && !text.starts_with('['))
      return 0;
    JsonExtent extent;
    for (size_t i = 0; i < text.size(); ++i)
      if (extent.add(text[i]))
        return i + 1;
    return 0;
  }

private:
  size_t depth = 0;
  bool isInString = false, isEscaped = false;
};

} // namespace transfold::runtime::chat
