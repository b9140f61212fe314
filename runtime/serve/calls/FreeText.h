// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automata of the text that an answer may have beside calls.

#pragma once

#include "runtime/constrain/automaton/Dfa.h"

namespace transfold::runtime::serve {

/// The texts in which `mark`, which is not empty, does not occur.
Dfa textsWithout(std::string_view mark, ConstraintBudget &budget);
/// The texts that do not begin with `beginning`, which is not empty, after any
/// white space.
Dfa textsNotBeginningWith(std::string_view beginning, ConstraintBudget &budget);
/// The texts of white space.
Dfa whiteSpace(ConstraintBudget &budget);

} // namespace transfold::runtime::serve
