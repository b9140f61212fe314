// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a request says about the form of its answer.

#pragma once

#include "runtime/constrain/Forward.h"
#include "runtime/serve/api/Fields.h"

#include <memory>

namespace transfold::runtime::serve {

/// The field "response_format", compiled; null if it asks for any text. Throws
/// ApiError.
std::shared_ptr<const Grammar> readConstraint(const Fields &fields);

} // namespace transfold::runtime::serve
