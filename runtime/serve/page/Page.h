// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page that a browser gets at the server's address: page/index.html, which
// uses the server's routes.

#ifndef TRANSFOLD_RUNTIME_SERVE_PAGE_PAGE_H
#define TRANSFOLD_RUNTIME_SERVE_PAGE_PAGE_H

#include "runtime/serve/http/Http.h"

namespace transfold::runtime::serve {

/// The page; its policy allows it to connect to its own server only.
HttpReply pageReply();

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_PAGE_PAGE_H
