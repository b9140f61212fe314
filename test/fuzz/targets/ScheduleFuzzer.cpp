// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as a file of schedules: read values are within their bounds,
// and are the same after writing and reading them again.

#include "compiler/kernels/schedule/tune/ScheduleFile.h"
#include "test/fuzz/targets/Input.h"

#include <stdexcept>

using namespace transfold;

static void requireTheSame(const kernels::ScheduleFile &file,
                           const kernels::ScheduleFile &again) {
  fuzz::require(file.model == again.model && file.machine == again.machine &&
                    file.measured == again.measured &&
                    file.schedules.size() == again.schedules.size(),
                "the same file");
  for (size_t i = 0; i < file.schedules.size(); ++i) {
    const kernels::MeasuredSchedule &one = file.schedules[i],
                                    &other = again.schedules[i];
    fuzz::require(one.kernel == other.kernel && one.key() == other.key() &&
                      one.numbers == other.numbers &&
                      one.rounds == other.rounds,
                  "the same schedule");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  kernels::ScheduleFile file;
  try {
    file = kernels::readScheduleFile(input.path());
  } catch (const std::runtime_error &) {
    return 0;
  }
  for (const kernels::MeasuredSchedule &schedule : file.schedules) {
    fuzz::require(schedule.fewRows >= 0 && schedule.rounds > 0 &&
                      schedule.microseconds > 0 && schedule.byRule > 0,
                  "numbers within their bounds");
    for (const auto &[name, number] : schedule.numbers)
      fuzz::require(number > 0, "numbers above 0");
  }
  const fuzz::InputFile written(kernels::asJson(file));
  requireTheSame(file, kernels::readScheduleFile(written.path()));
  return 0;
}
