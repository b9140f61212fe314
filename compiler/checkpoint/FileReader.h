// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numbers of a mapped file one after the other, and never past its end.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <string_view>

namespace transfold::checkpoint {

/// Base class of the readers of containers. Every message states file and
/// position, as a CheckpointError.
class FileReader {
protected:
  /// `file` must outlive this, and so do the spans that `take` returns.
  explicit FileReader(const MappedFile &file)
      : path(file.path()), bytes(file.bytes()) {}

  /// Throws CheckpointError with the file's path in front.
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format,
                         Args &&...args) const {
    throw CheckpointError(
        path + ": " +
        fmt::vformat(fmt::string_view(format), fmt::make_format_args(args...)));
  }

  /// The next `count` bytes; `what` describes them in the message.
  std::span<const std::byte> take(uint64_t count, std::string_view what) {
    if (count > bytes.size() - at)
      fail("byte {}: {} needs {} bytes and the file has {} more; it is cut "
           "short or damaged, fetch it again",
           at, what, count, bytes.size() - at);
    auto taken = bytes.subspan(at, count);
    at += count;
    return taken;
  }

  /// The next number, in little-endian order.
  template <typename T> T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  const std::string path;
  const std::span<const std::byte> bytes;
  size_t at = 0;
};

} // namespace transfold::checkpoint
