// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log entry of a request: filled in while it is processed, and reported when
// its last part was sent.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/api/AnswerStream.h"

#include <functional>
#include <memory>
#include <string>

namespace transfold::runtime::serve {

/// What is known about one request; reported by the destructor.
class RequestLog : NonCopyable {
public:
  using Tell = std::function<void(const RequestLog &, double seconds)>;
  explicit RequestLog(Tell tell) : tell(std::move(tell)) {}
  ~RequestLog() {
    tell(*this, std::chrono::duration<double>(Clock::now() - begin).count());
  }

  /// Status if the client disconnected before the answer was complete, as other
  /// servers log it.
  static constexpr int clientGone = 499;

  std::string method, route, remote;
  int status = 200;
  Usage usage;

private:
  Clock::time_point begin = Clock::now();
  Tell tell;
};

/// The entry is reported when the last reference is destroyed.
using RequestLogPointer = std::shared_ptr<RequestLog>;

} // namespace transfold::runtime::serve
