// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page that a browser gets at the server's address: page/index.html, which
// uses the server's routes.

#pragma once

#include "runtime/serve/http/Http.h"

namespace transfold::runtime::serve {

/// The page; its policy allows it to connect to its own server only.
HttpReply pageReply();

} // namespace transfold::runtime::serve
