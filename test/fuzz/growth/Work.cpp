// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/fuzz/growth/Work.h"

#include <cstddef>
#include <sanitizer/allocator_interface.h>

using namespace transfold;

static fuzz::Work work;

fuzz::Work fuzz::workOf(const std::function<void()> &action) {
  [[maybe_unused]] static const int isCounted =
      __sanitizer_install_malloc_and_free_hooks(
          [](const volatile void *, size_t size) { work.memory += size; },
          [](const volatile void *) {});
  const Work before = work;
  action();
  return {work.comparisons - before.comparisons, work.bytes - before.bytes,
          work.memory - before.memory};
}

// The functions that are called for each comparison must not be instrumented
// themselves.
#define COUNTED __attribute__((no_sanitize("coverage", "address", "undefined")))

// NOLINTBEGIN(bugprone-reserved-identifier): compilers and linkers name these.
extern "C" {

COUNTED void __sanitizer_cov_trace_cmp1(uint8_t, uint8_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_const_cmp1(uint8_t, uint8_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_cmp2(uint16_t, uint16_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_const_cmp2(uint16_t, uint16_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_cmp4(uint32_t, uint32_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_const_cmp8(uint64_t, uint64_t) {
  ++work.comparisons;
}
COUNTED void __sanitizer_cov_trace_switch(uint64_t, uint64_t *) {
  ++work.comparisons;
}

// With --wrap (CMakeLists.txt) these are called instead of the functions of the
// C library.
void *__real_memchr(const void *, int, size_t);
int __real_memcmp(const void *, const void *, size_t);
int __real_bcmp(const void *, const void *, size_t);
void *__real_memmove(void *, const void *, size_t);
void *__real___asan_memcpy(void *, const void *, size_t);
void *__real___asan_memmove(void *, const void *, size_t);

COUNTED void *__wrap_memchr(const void *text, int byte, size_t size) {
  void *found = __real_memchr(text, byte, size);
  work.bytes += found ? static_cast<size_t>(static_cast<const char *>(found) -
                                            static_cast<const char *>(text))
                      : size;
  return found;
}
COUNTED int __wrap_memcmp(const void *a, const void *b, size_t size) {
  work.bytes += size;
  return __real_memcmp(a, b, size);
}
COUNTED int __wrap_bcmp(const void *a, const void *b, size_t size) {
  work.bytes += size;
  return __real_bcmp(a, b, size);
}
COUNTED void *__wrap_memmove(void *to, const void *from, size_t size) {
  work.bytes += size;
  return __real_memmove(to, from, size);
}
COUNTED void *__wrap___asan_memcpy(void *to, const void *from, size_t size) {
  work.bytes += size;
  return __real___asan_memcpy(to, from, size);
}
COUNTED void *__wrap___asan_memmove(void *to, const void *from, size_t size) {
  work.bytes += size;
  return __real___asan_memmove(to, from, size);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
