// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/UsualSampling.h"

#include "runtime/Error.h"
#include "runtime/steps/SamplingRanges.h"

#include <type_traits>

namespace transfold::runtime {

namespace {

template <typename Number>
void read(const Task &task, const char *name, NumberRange<Number> range,
          Number &number) {
  auto found = task.options.find(name);
  if (found == task.options.end() || found->is_null())
    return;
  const bool isFit = std::is_integral_v<Number> ? found->is_number_integer()
                                                : found->is_number();
  if (!isFit || !range.has(found->template get<Number>()))
    fail("the program's metadata is damaged: '{}' is {}", name, found->dump());
  number = found->template get<Number>();
}

} // namespace

SamplingOptions usualSampling(const Task &task) {
  SamplingOptions usual;
  usual.temperature = 1;
  read(task, "temperature", ranges::temperature, usual.temperature);
  read(task, "top_k", ranges::topK, usual.topK);
  read(task, "top_p", ranges::topP, usual.topP);
  read(task, "min_p", ranges::minP, usual.minP);
  read(task, "repetition_penalty", ranges::repetitionPenalty,
       usual.repetitionPenalty);
  return usual;
}

} // namespace transfold::runtime
