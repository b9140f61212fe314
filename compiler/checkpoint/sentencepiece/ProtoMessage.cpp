// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the wire format of Protocol Buffers. Each length is compared with the
// bytes that remain before it is used.

#include "compiler/checkpoint/sentencepiece/ProtoMessage.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/JsonFile.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace transfold::checkpoint {

void ProtoMessage::fail(const std::string &why) const {
  throw CheckpointError(
      fmt::format("{}: byte {}: {}", place, origin + begin, why));
}

std::string_view ProtoMessage::take(uint64_t count) {
  if (count > bytes.size() - at)
    fail(fmt::format(
        "a field of {} bytes does not end within the message that contains it; "
        "the file is cut short or damaged, fetch it again",
        count));
  std::string_view taken = bytes.substr(at, count);
  at += count;
  return taken;
}

/// Seven bits per byte, the lowest first; the last byte has its high bit clear.
uint64_t ProtoMessage::varint() {
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto byte = static_cast<unsigned char>(take(1)[0]);
    // The tenth byte has only one bit left.
    if (shift == 63 && byte > 1)
      fail("a number has more than 64 bits; the file is damaged, fetch it "
           "again");
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return number;
  }
}

/// The bytes as a little-endian number.
static uint64_t fixed(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

bool ProtoMessage::next() {
  begin = at;
  if (at == bytes.size())
    return false;
  uint64_t key = varint();
  uint64_t number = key >> 3;
  if (number == 0 || number > std::numeric_limits<int32_t>::max())
    fail("this is not a field of a SentencePiece model; the file is damaged or "
         "of another kind, fetch it again");
  fieldNumber = static_cast<uint32_t>(number);
  wire = static_cast<Wire>(key & 7);
  value = 0;
  content = {};
  switch (wire) {
  case Wire::Varint:
    value = varint();
    return true;
  case Wire::Fixed64:
    value = fixed(take(8));
    return true;
  case Wire::Fixed32:
    value = fixed(take(4));
    return true;
  case Wire::Bytes:
    content = take(varint());
    return true;
  }
  fail("this is not a field of a SentencePiece model; the file is damaged or "
       "of another kind, fetch it again");
}

void ProtoMessage::need(Wire wanted, const char *what) const {
  if (wire != wanted)
    fail(fmt::format("{} has another wire type than expected; the file is "
                     "damaged, fetch it again",
                     what));
}

uint64_t ProtoMessage::integer(const char *what) const {
  need(Wire::Varint, what);
  return value;
}

float ProtoMessage::real(const char *what) const {
  need(Wire::Fixed32, what);
  return std::bit_cast<float>(static_cast<uint32_t>(value));
}

std::string_view ProtoMessage::data(const char *what) const {
  need(Wire::Bytes, what);
  return content;
}

std::string ProtoMessage::text(const char *what) const {
  need(Wire::Bytes, what);
  if (!isUtf8(content))
    fail(fmt::format("{} is not UTF-8; the file is damaged, fetch it again",
                     what));
  return std::string(content);
}

/// Positions in error messages count from the start of the file, also for
/// nested messages.
ProtoMessage ProtoMessage::message(const char *what) const {
  need(Wire::Bytes, what);
  ProtoMessage inner(content, place);
  inner.origin = origin + static_cast<size_t>(content.data() - bytes.data());
  return inner;
}

} // namespace transfold::checkpoint
