// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the input of a fuzz target into the files that readers open.

#pragma once

#include "base/NonCopyable.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace transfold::fuzz {

/// A file in memory with a path that can be opened during its lifetime.
class InputFile : NonCopyable {
public:
  explicit InputFile(std::string_view content)
      : descriptor(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor < 0 || ::write(descriptor, content.data(), content.size()) !=
                              static_cast<ssize_t>(content.size()))
      std::abort();
  }
  ~InputFile() { ::close(descriptor); }

  std::string path() const {
    return fmt::format("/proc/self/fd/{}", descriptor);
  }

private:
  int descriptor;
};

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Splits an input into several files, separated by lines of four dashes.
/// Missing files are empty.
template <size_t N>
std::array<std::string_view, N> filesOf(std::string_view text) {
  constexpr std::string_view line = "\n----\n";
  std::array<std::string_view, N> files;
  for (size_t i = 0; i < N; ++i) {
    size_t end = i + 1 < N ? text.find(line) : text.npos;
    files[i] = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + line.size());
  }
  return files;
}

/// Checks a guarantee of a reader; the target crashes if it does not hold.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "not as promised: %s\n", what);
  std::abort();
}

} // namespace transfold::fuzz
