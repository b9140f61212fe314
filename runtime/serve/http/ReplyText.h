// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialization of replies.

#pragma once

#include "runtime/serve/http/Http.h"

#include <ctime>
#include <string>
#include <string_view>

namespace transfold::runtime::serve {

/// The status line and the header fields of a reply, with the empty line after
/// them. `isLast`: the connection is closed afterwards; `knowsParts`: the
/// client supports chunks; `idle`: the timeout of idle connections.
std::string headOf(const HttpReply &reply, bool isLast, bool knowsParts,
                   std::chrono::seconds idle);
/// One chunk of a reply in chunks, for clients that support them; the last
/// chunk is empty.
std::string chunkOf(std::string_view part);
/// Tells the client to send the body.
constexpr std::string_view continueText = "HTTP/1.1 100 Continue\r\n\r\n";

/// A time in HTTP's format: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string dateText(std::time_t time);

} // namespace transfold::runtime::serve
