// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for those who only pass constraints on.

#pragma once

namespace transfold::runtime::inline constrain {

class Grammar;
struct TextConstraint;

} // namespace transfold::runtime::inline constrain
