// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exception of the runtime, and the function that throws it.

#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace transfold {

/// An error that the user must know about and can do something about. The
/// program prints it as its one line on stderr and exits with status 1.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws an Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace transfold
