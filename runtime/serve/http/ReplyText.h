// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers as they go over a connection.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_REPLYTEXT_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_REPLYTEXT_H

#include "runtime/serve/Http.h"

#include <ctime>
#include <string>
#include <string_view>

namespace transfold::runtime::serve {

/// What goes before an answer's body: its status, its header fields and an
/// empty line.
std::string headOf(const HttpReply &reply, bool isLast, bool knowsParts,
                   std::chrono::seconds idle);
/// A part of an answer in parts, for clients that know them; the last one is
/// empty.
std::string chunkOf(std::string_view part);
/// The word that a body may come.
constexpr std::string_view continueText = "HTTP/1.1 100 Continue\r\n\r\n";

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string dateText(std::time_t time);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_REPLYTEXT_H
