// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people see who open the server's address in a browser: page/index.html,
// which asks the routes beside it.

#ifndef TRANSFOLD_RUNTIME_SERVE_PAGE_H
#define TRANSFOLD_RUNTIME_SERVE_PAGE_H

#include "runtime/serve/Http.h"

namespace transfold::runtime::serve {

/// The page, which may load nothing and ask nobody but its own server.
HttpReply pageReply();

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_PAGE_H
