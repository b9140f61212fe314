// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute of a kernel whose schedule was measured:
//
//   xf.kernel @k(…) attributes {…, xf.measured = {by_rule = 14.0 : f64,
//     file = "minilm.json", microseconds = 12.3 : f64}}
//
// and that of the module, about the file of the schedules:
//
//   module attributes {xf.schedules = {file = "minilm.json", known = 5 : i64,
//     used = 3 : i64}}
//
// Kernels that are to be measured are variants trial1, trial2, …; the kernel
// that they are variants of has the name under which a file of schedules lists
// it:
//
//   xf.kernel @k(…) attributes {…, xf.tried = {few_rows = 0,
//     kernel = "contraction: …", processor = "avx2", signature = "3f9c…"}}

#pragma once

#include <string>

namespace transfold::kernels {

/// The names of the attributes above.
constexpr const char *measuredAttrName = "xf.measured";
constexpr const char *triedAttrName = "xf.tried";
constexpr const char *schedulesAttrName = "xf.schedules";

constexpr const char *trialPrefix = "trial";
/// The name of variant `number` that is to be measured.
inline std::string nameOfTrial(size_t number) {
  return trialPrefix + std::to_string(number);
}

} // namespace transfold::kernels
