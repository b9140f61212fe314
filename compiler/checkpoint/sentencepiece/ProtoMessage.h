// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of a Protocol Buffers message in the order of the file
// (protobuf.dev, "Encoding"): each has a key, which is the field's number and
// the encoding of its value, and then the value. The caller knows which fields
// exist, and skips unknown ones.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

/// A cursor over the fields of a message.
class ProtoMessage {
public:
  /// A whole file; `place` is its path, for messages.
  ProtoMessage(std::string_view bytes, std::string place)
      : bytes(bytes), place(std::move(place)) {}

  /// Advances to the next field; false after the last one. Throws
  /// CheckpointError if the bytes are not a field.
  bool next();

  /// The number of the current field.
  uint32_t number() const { return fieldNumber; }
  /// Its value. Each function throws CheckpointError, with the name `what`, if
  /// the value has another encoding.
  uint64_t integer(const char *what) const;
  bool flag(const char *what) const { return integer(what) != 0; }
  float real(const char *what) const;
  std::string_view data(const char *what) const;
  /// The value as UTF-8 text (checked).
  std::string text(const char *what) const;
  /// The value as a nested message.
  ProtoMessage message(const char *what) const;

  /// Throws CheckpointError with the position of the field's beginning.
  [[noreturn]] void fail(const std::string &why) const;

private:
  /// The encodings of values. Groups (3 and 4) belong to an old version of the
  /// format that none of these files uses.
  enum class Wire : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  std::string_view bytes;
  std::string place;
  size_t origin = 0; // offset of `bytes` in the file
  size_t at = 0, begin = 0;
  uint32_t fieldNumber = 0;
  Wire wire = Wire::Varint;
  uint64_t value = 0;
  std::string_view content;

  /// Reads a number of variable length, at most 64 bits.
  uint64_t varint();
  /// The next `count` bytes. Throws CheckpointError if there are fewer.
  std::string_view take(uint64_t count);
  /// Throws CheckpointError unless the current value has this encoding.
  void need(Wire wanted, const char *what) const;
};

} // namespace transfold::checkpoint
