// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel says of a schedule that was measured:
//
//   xf.kernel @k(…) attributes {…, xf.measured = {by_rule = 14.0 : f64,
//     file = "minilm.json", microseconds = 12.3 : f64}}
//
// and the module of the file that it came from:
//
//   module attributes {xf.schedules = {file = "minilm.json", known = 5 : i64,
//     used = 3 : i64}}
//
// Kernels that are to be measured are variants trial1, trial2, …, and what they
// are variants of says what a file of schedules would call it:
//
//   xf.kernel @k(…) attributes {…, xf.tried = {few_rows = 0,
//     kernel = "contraction: …", processor = "avx2", signature = "3f9c…"}}

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASUREDATTR_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASUREDATTR_H

#include <string>

namespace transfold::kernels {

constexpr const char *measuredAttrName = "xf.measured";
constexpr const char *triedAttrName = "xf.tried";
constexpr const char *schedulesAttrName = "xf.schedules";

constexpr const char *trialPrefix = "trial";
inline std::string nameOfTrial(size_t number) {
  return trialPrefix + std::to_string(number);
}

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASUREDATTR_H
