// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No exception crosses the boundary of the library: errors become a status and
// a message.

#pragma once

#include "base/Error.h"
#include "runtime/library/transfold.h"

#include <string>

namespace transfold::runtime::inline library {

/// An Error with a known status.
class Failure : public Error {
public:
  Failure(tfold_status status, const std::string &text)
      : Error(text), kind(status) {}
  tfold_status status() const { return kind; }

private:
  tfold_status kind;
};

/// Throws a Failure with a formatted message.
template <typename... Args>
[[noreturn]] void failWith(tfold_status status,
                           fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(status, fmt::format(format, std::forward<Args>(args)...));
}

/// Returns the status of the exception that is being handled and sets `text` to
/// its message, as far as there is memory for it. A plain Error, of no derived
/// class that has a status of its own, has the status `otherwise`.
tfold_status describeException(std::string &text,
                               tfold_status otherwise) noexcept;

} // namespace transfold::runtime::inline library
