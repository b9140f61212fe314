// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libFuzzer hands to a target, as the files that the readers open.

#ifndef TRANSFOLD_TEST_FUZZ_INPUT_H
#define TRANSFOLD_TEST_FUZZ_INPUT_H

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

/// A file in memory under a path that can be opened, as long as it lives.
class InputFile {
public:
  explicit InputFile(std::string_view content)
      : descriptor(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor < 0 || ::write(descriptor, content.data(), content.size()) !=
                              static_cast<ssize_t>(content.size()))
      std::abort();
  }
  ~InputFile() { ::close(descriptor); }
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string path() const {
    return fmt::format("/proc/self/fd/{}", descriptor);
  }

private:
  int descriptor;
};

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Several files in one input: lines of four dashes stand between them. What is
/// not there is empty.
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

/// What a reader has promised; the target crashes where it does not hold.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "not as promised: %s\n", what);
  std::abort();
}

} // namespace transfold::fuzz

#endif // TRANSFOLD_TEST_FUZZ_INPUT_H
