// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is thrown across the border of the library: errors become a status
// and a text.

#ifndef TRANSFOLD_RUNTIME_LIBRARY_FAILURE_H
#define TRANSFOLD_RUNTIME_LIBRARY_FAILURE_H

#include "runtime/Error.h"
#include "runtime/library/transfold.h"

#include <string>

namespace transfold::runtime {

/// An Error whose status is known.
class Failure : public Error {
public:
  Failure(tfold_status status, const std::string &text)
      : Error(text), kind(status) {}
  tfold_status status() const { return kind; }

private:
  tfold_status kind;
};

template <typename... Args>
[[noreturn]] void failWith(tfold_status status,
                           fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(status, fmt::format(format, std::forward<Args>(args)...));
}

/// The status of the exception that is being handled. `text` becomes what it
/// says, as far as there is memory for it. An Error that is no more than that
/// has the status `otherwise`.
tfold_status describeException(std::string &text,
                               tfold_status otherwise) noexcept;

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_LIBRARY_FAILURE_H
