// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A draft that starts from the spec of another model: its text, with the new
// name.

#pragma once

#include "compiler/draft/Nearest.h"

#include <string>

namespace transfold::draft {

/// The text of a spec `name` with the equations of `start`.
std::string startFrom(const Candidate &start, const std::string &name);

} // namespace transfold::draft
