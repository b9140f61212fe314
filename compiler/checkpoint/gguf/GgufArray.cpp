// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads single values of the metadata. The bytes were checked when the file was
// opened, so nothing here can run past the end.

#include "compiler/checkpoint/gguf/GgufArray.h"

#include <cstring>

namespace transfold::checkpoint {

std::optional<size_t> sizeOfGgufNumber(GgufType type) {
  switch (type) {
  case GgufType::U8:
  case GgufType::I8:
  case GgufType::Bool:
    return 1;
  case GgufType::U16:
  case GgufType::I16:
    return 2;
  case GgufType::U32:
  case GgufType::I32:
  case GgufType::F32:
    return 4;
  case GgufType::U64:
  case GgufType::I64:
  case GgufType::F64:
    return 8;
  default:
    return std::nullopt;
  }
}

/// Reads a little-endian number, which need not be aligned.
template <typename T> static T loaded(const std::byte *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

GgufScalar ggufScalar(GgufType type, std::span<const std::byte> bytes) {
  const std::byte *from = bytes.data();
  switch (type) {
  case GgufType::U8:
    return uint64_t{loaded<uint8_t>(from)};
  case GgufType::I8:
    return int64_t{loaded<int8_t>(from)};
  case GgufType::U16:
    return uint64_t{loaded<uint16_t>(from)};
  case GgufType::I16:
    return int64_t{loaded<int16_t>(from)};
  case GgufType::U32:
    return uint64_t{loaded<uint32_t>(from)};
  case GgufType::I32:
    return int64_t{loaded<int32_t>(from)};
  case GgufType::F32:
    return loaded<float>(from);
  case GgufType::Bool:
    return loaded<uint8_t>(from) != 0;
  case GgufType::U64:
    return loaded<uint64_t>(from);
  case GgufType::I64:
    return loaded<int64_t>(from);
  case GgufType::F64:
    return loaded<double>(from);
  default:
    return std::string_view(reinterpret_cast<const char *>(from), bytes.size());
  }
}

GgufScalar GgufArray::next(size_t &at) const {
  size_t size;
  if (auto own = sizeOfGgufNumber(type)) {
    size = *own;
  } else {
    size = loaded<uint64_t>(values.data() + at);
    at += sizeof(uint64_t);
  }
  auto bytes = values.subspan(at, size);
  at += size;
  return ggufScalar(type, bytes);
}

/// In time linear in the bytes before it, because texts have different lengths.
std::optional<std::string_view> GgufArray::text(uint64_t place) const {
  if (type != GgufType::String || place >= count)
    return std::nullopt;
  size_t at = 0;
  for (uint64_t i = 0; i < place; ++i)
    (void)next(at);
  return std::get<std::string_view>(next(at));
}

} // namespace transfold::checkpoint
