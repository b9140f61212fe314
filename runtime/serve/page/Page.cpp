// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of the page and the hashes of its script and its style are generated
// when transfold is built (PageText.h).

#include "runtime/serve/page/Page.h"

#include <fmt/format.h>

namespace transfold::runtime::serve {

namespace {

#include "runtime/serve/PageText.h"

/// Only the page's own script and style run, whatever a model's output
/// contains; and no other site can embed the page in a frame (clickjacking).
std::string contentPolicy() {
  return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; "
                     "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                     "frame-ancestors 'none'",
                     pageScript, pageStyle);
}

} // namespace

HttpReply pageReply() {
  HttpReply reply;
  reply.contentType = "text/html; charset=utf-8";
  reply.body = pageText;
  reply.headers = {{"Content-Security-Policy", contentPolicy()},
                   {"X-Content-Type-Options", "nosniff"},
                   {"Referrer-Policy", "no-referrer"},
                   // Another program may use this port later.
                   {"Cache-Control", "no-cache"}};
  return reply;
}

} // namespace transfold::runtime::serve
