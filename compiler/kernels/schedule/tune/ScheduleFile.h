// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that were measured, in a file that `transfold tune` writes and
// `transfold compile --schedules` reads.
//
//   {"transfold_schedules": 2, "model": "bert", "machine": "AMD EPYC …",
//    "measured": "bench --seq 128 --threads 1", "kernels": [
//      {"kernel": "contraction: contract, add; …", "signature": "3f9c…",
//       "processor": "avx2", "few_rows": 0, "schedule": {"rows": 4},
//       "microseconds": 310.5, "by_rule": 342.1, "rounds": 11}]}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace transfold::kernels {

/// Parameters of a schedule by name (Measurable.h).
using Numbers = std::map<std::string, int64_t>;

/// The measured schedule of one kernel on one processor.
struct MeasuredSchedule {
  std::string kernel;    ///< for people: a description
  std::string signature; ///< identifies kernels: Signature.h
  std::string processor; ///< the processor of the measurement: Processors.h
  /// The largest number of rows of the small-M form; 0 for the general form.
  int64_t fewRows = 0;
  Numbers numbers; ///< those that differ from the rule's
  /// The median time of a launch over `rounds` rounds: with these parameters,
  /// and with the rule's.
  double microseconds = 0, byRule = 0;
  int64_t rounds = 0;

  /// A file has one schedule for each key.
  auto key() const { return std::tie(signature, processor, fewRows); }
};

/// The content of a file of schedules.
struct ScheduleFile {
  /// The measured model, the machine, and the command: for people.
  std::string model, machine, measured;
  std::vector<MeasuredSchedule> schedules;
};

/// Reads a file. Throws std::runtime_error with the place of an error.
ScheduleFile readScheduleFile(const std::string &path);

/// The text of a file with these schedules.
std::string asJson(const ScheduleFile &file);

} // namespace transfold::kernels
