// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a GGUF file's metadata. An array stays unparsed in the mapped file,
// because a file may have millions of values that are never used.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace transfold::checkpoint {

/// The types of values, by their numbers.
enum class GgufType : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

/// A value of the metadata. Texts point into the mapped file, and may be any
/// bytes.
using GgufScalar =
    std::variant<bool, int64_t, uint64_t, float, double, std::string_view>;

/// The size of a number of that type; nullopt for texts, arrays and unknown
/// types.
std::optional<size_t> sizeOfGgufNumber(GgufType type);

/// A list in the metadata, in its stored form.
class GgufArray {
public:
  /// `values` has exactly the bytes of these values (checked in GgufFile.cpp).
  GgufArray(GgufType type, uint64_t count, std::span<const std::byte> values)
      : type(type), count(count), values(values) {}

  uint64_t size() const { return count; }
  /// Visits the values one by one, in time linear in their bytes.
  template <typename Visit> void forEach(Visit visit) const {
    size_t at = 0;
    for (uint64_t i = 0; i < count; ++i)
      visit(next(at));
  }
  /// The text at an index; nullopt if there is none.
  std::optional<std::string_view> text(uint64_t place) const;

private:
  GgufType type;
  uint64_t count;
  std::span<const std::byte> values;

  /// The value that begins at `at`; moves `at` to the next one.
  GgufScalar next(size_t &at) const;
};

/// The number or text that these bytes represent in the given type.
GgufScalar ggufScalar(GgufType type, std::span<const std::byte> bytes);

} // namespace transfold::checkpoint
