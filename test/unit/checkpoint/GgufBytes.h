// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of GGUF files, valid and invalid.

#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace transfold::test {

template <typename T> std::string bytesOf(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline std::string ggufText(const std::string &text) {
  return bytesOf<uint64_t>(text.size()) + text;
}

/// A key with a value of the type `type`, whose bytes are `value`.
inline std::string ggufPair(const std::string &key, uint32_t type,
                            const std::string &value) {
  return ggufText(key) + bytesOf(type) + value;
}
inline std::string ggufPair(const std::string &key, const std::string &text) {
  return ggufPair(key, 8, ggufText(text));
}
inline std::string ggufPair(const std::string &key, uint32_t value) {
  return ggufPair(key, 4, bytesOf(value));
}

/// The entry of a tensor in the header; the fastest axis comes first.
struct GgufTensor {
  std::string name;
  std::vector<uint64_t> extents;
  uint32_t type; // 0: F32, 1: F16, 2: Q4_0, 12: Q4_K
  uint64_t offset;
};

/// A file whose parts can be replaced one by one.
struct GgufBytes {
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::vector<std::string> pairs;
  std::vector<GgufTensor> tensors;
  std::string data;
  uint64_t alignment = 32;
  uint64_t moreTensors = 0, morePairs = 0; // than the file has

  std::string header() const {
    std::string bytes = magic + bytesOf(version) +
                        bytesOf(tensors.size() + moreTensors) +
                        bytesOf(pairs.size() + morePairs);
    for (const std::string &pair : pairs)
      bytes += pair;
    for (const GgufTensor &tensor : tensors) {
      bytes += ggufText(tensor.name) +
               bytesOf(static_cast<uint32_t>(tensor.extents.size()));
      for (uint64_t extent : tensor.extents)
        bytes += bytesOf(extent);
      bytes += bytesOf(tensor.type) + bytesOf(tensor.offset);
    }
    return bytes;
  }
  std::string str() const {
    std::string bytes = header();
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return bytes + data;
  }
};

} // namespace transfold::test
