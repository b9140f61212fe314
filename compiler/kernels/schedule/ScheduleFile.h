// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that were measured, in a file: what `transfold tune` writes and
// `transfold compile --schedules` reads.
//
//   {"transfold_schedules": 2, "model": "bert", "machine": "AMD EPYC …",
//    "measured": "bench --seq 128 --threads 1", "kernels": [
//      {"kernel": "contraction: contract, add; …", "signature": "3f9c…",
//       "processor": "avx2", "few_rows": 0, "schedule": {"rows": 4},
//       "microseconds": 310.5, "by_rule": 342.1, "rounds": 11}]}

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULEFILE_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULEFILE_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace transfold::kernels {

/// Numbers of a schedule by name (Measurable.h).
using Numbers = std::map<std::string, int64_t>;

struct MeasuredSchedule {
  std::string kernel;    ///< for people
  std::string signature; ///< for kernels: Signature.h
  std::string processor; ///< that it was measured for: Processors.h
  int64_t fewRows = 0;   ///< of the form for up to so many; 0: for all
  Numbers numbers;       ///< that differ from the rule's
  /// Of a launch, the median of so many rounds: with these numbers, and with
  /// the rule's.
  double microseconds = 0, byRule = 0;
  int64_t rounds = 0;

  /// What it is for: a file has one for each.
  auto key() const { return std::tie(signature, processor, fewRows); }
};

struct ScheduleFile {
  /// What was measured, on which machine, and how: for people.
  std::string model, machine, measured;
  std::vector<MeasuredSchedule> schedules;
};

/// Throws std::runtime_error that says where the file is not one.
ScheduleFile readScheduleFile(const std::string &path);

/// The text of a file.
std::string asJson(const ScheduleFile &file);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULEFILE_H
