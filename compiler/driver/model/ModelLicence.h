// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The license that a program carries for its weights.

#pragma once

#include <string>

namespace transfold::driver {

/// The text of LICENSE, LICENCE, LICENSE.txt or LICENSE.md in the model's
/// directory; empty if there is none, or if MODEL is a file. Throws
/// std::runtime_error if it is not a text of reasonable size.
std::string modelLicence(const std::string &model);

} // namespace transfold::driver
