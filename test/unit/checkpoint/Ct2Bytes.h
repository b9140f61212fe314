// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of CTranslate2's model.bin, valid and invalid.

#pragma once

#include "test/unit/checkpoint/GgufBytes.h"

#include <utility>

namespace transfold::test {

inline std::string ct2Text(const std::string &text) {
  return bytesOf(static_cast<uint16_t>(text.size() + 1)) + text + '\0';
}

struct Ct2Variable {
  std::string name;
  std::vector<uint32_t> extents;
  uint8_t type; // 0: f32, 1: i8, 2: i16, 3: i32, 4: f16, 5: bf16
  std::string content;
};

/// A file whose parts can be replaced one by one.
struct Ct2Bytes {
  uint32_t version = 6;
  std::string spec = ct2Text("TransformerSpec");
  std::vector<Ct2Variable> variables;
  std::vector<std::pair<std::string, std::string>> aliases;
  uint32_t moreVariables = 0, moreAliases = 0; // than the file has

  std::string str() const {
    std::string bytes =
        bytesOf(version) + spec + bytesOf(uint32_t{7}) +
        bytesOf(static_cast<uint32_t>(variables.size()) + moreVariables);
    for (const Ct2Variable &variable : variables) {
      bytes += ct2Text(variable.name) +
               bytesOf(static_cast<uint8_t>(variable.extents.size()));
      for (uint32_t extent : variable.extents)
        bytes += bytesOf(extent);
      bytes += sizeOf(variable) + variable.content;
    }
    if (version < 3)
      return bytes;
    bytes += bytesOf(static_cast<uint32_t>(aliases.size()) + moreAliases);
    for (const auto &[alias, name] : aliases)
      bytes += ct2Text(alias) + ct2Text(name);
    return bytes;
  }

private:
  std::string sizeOf(const Ct2Variable &variable) const {
    auto size = static_cast<uint32_t>(variable.content.size());
    if (version >= 4)
      return bytesOf(variable.type) + bytesOf(size);
    constexpr uint8_t bytes[] = {4, 1, 2, 4, 2, 2};
    const uint8_t each =
        variable.type < std::size(bytes) ? bytes[variable.type] : variable.type;
    return bytesOf(each) + bytesOf(size / each);
  }
};

} // namespace transfold::test
