// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of a report, as docs/report.schema.json describes it.

#pragma once

#include "compiler/report/SpecEquations.h"

#include <nlohmann/json.hpp>

namespace transfold::report {

/// The files of the spec, with their texts.
nlohmann::ordered_json filesOf(const SpecEquations &equations);

/// The equations, each with the number of links that `data`, the parts of the
/// report so far, has to it: 0 for those of libraries that the model does not
/// use.
nlohmann::ordered_json equationsOf(const SpecEquations &equations,
                                   const nlohmann::ordered_json &data);

} // namespace transfold::report
