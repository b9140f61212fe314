// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of a message of Protocol Buffers, one after the other, as they lie
// in a file (protobuf.dev, "Encoding"): a key, which is the field's number and
// how its value is written, then the value. Which fields there are is for who
// reads; those that nobody knows are passed over.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_PROTOMESSAGE_H
#define TRANSFOLD_COMPILER_CHECKPOINT_PROTOMESSAGE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

class ProtoMessage {
public:
  /// A whole file; `place` is its path, for messages.
  ProtoMessage(std::string_view bytes, std::string place)
      : bytes(bytes), place(std::move(place)) {}

  /// Goes to the next field; false behind the last one. Throws CheckpointError
  /// where what follows is no field.
  bool next();

  /// The field's number.
  uint32_t number() const { return fieldNumber; }
  /// Its value. Each throws CheckpointError, with the name `what`, where the
  /// value is not written so.
  uint64_t integer(const char *what) const;
  bool flag(const char *what) const { return integer(what) != 0; }
  float real(const char *what) const;
  std::string_view data(const char *what) const;
  /// UTF-8 (checked).
  std::string text(const char *what) const;
  ProtoMessage message(const char *what) const;

  /// Throws CheckpointError at the beginning of the field.
  [[noreturn]] void fail(const std::string &why) const;

private:
  /// How a value is written. Groups (3 and 4) are of a version of the format
  /// that no file of ours has.
  enum class Wire : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  std::string_view bytes;
  std::string place;
  size_t origin = 0; // of the bytes in the file
  size_t at = 0, begin = 0;
  uint32_t fieldNumber = 0;
  Wire wire = Wire::Varint;
  uint64_t value = 0;
  std::string_view content;

  uint64_t varint();
  std::string_view take(uint64_t count);
  void need(Wire wanted, const char *what) const;
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_PROTOMESSAGE_H
