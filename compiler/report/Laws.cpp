// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of docs/architecture.md, "What passes ask of operations", for each
// pass.

#include "compiler/report/Laws.h"

#include <llvm/ADT/StringSwitch.h>

using namespace transfold;
using namespace transfold::report;

static constexpr Law gauge{"GaugeLawInterface",
                           "f(s x) = s^k f(x): a factor passes the operation "
                           "and stays a factor"};
static constexpr Law shift{"ShiftLawInterface",
                           "(x + b) W + c = x W + (b W + c): a row that an "
                           "operand lacks is a row that the result lacks"};
static constexpr Law gain{"GainLawInterface",
                          "(x diag(g)) W = x (diag(g) W): a factor for each "
                          "column moves into the rows of the matrix"};
static constexpr Law batch{"BatchLawInterface",
                           "row i of the result depends on row i, or on rows "
                           "0 to i, of the operands"};
static constexpr Law zero{"ZeroPreserving",
                          "f(0) = 0: rows that are multiplied by zero need not "
                          "be computed"};
static constexpr Law members{"Pointwise",
                             "Σ_i f(x_i) is computed member by member"};

const Law *report::lawOf(llvm::StringRef pass) {
  return llvm::StringSwitch<const Law *>(pass)
      .Case("xf-fold-gauges", &gauge)
      .Case("xf-move-biases", &shift)
      .Cases({"xf-move-gains", "xf-equalize-channels"}, &gain)
      .Cases({"xf-derive-steps", "xf-bound-windows", "xf-derive-batch",
              "xf-form-kernels"},
             &batch)
      .Cases({"xf-compute-chosen", "xf-list-chosen"}, &zero)
      .Case("xf-unroll-families", &members)
      .Default(nullptr);
}
