// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string_view>

namespace transfold::runtime::inline constrain {

/// The regular expression of a "format"; empty if it says nothing about strings
/// (such as "int32" and "password"), null data if it is not supported.
std::string_view regexOfFormat(std::string_view format);

} // namespace transfold::runtime::inline constrain
