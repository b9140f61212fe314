// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the sampling options of a model's task, which come from files of the
// model (generation_config.json).

#include "runtime/steps/sampling/UsualSampling.h"

#include "base/Error.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <type_traits>

namespace transfold::runtime::inline steps {

namespace {

/// Reads an option into `number`, which keeps its value if the option is absent
/// or null. Throws Error if it is not in `range`.
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
  forEachSamplingField([&](const auto &field, size_t) {
    read(task, field.name, field.range, usual.*field.member);
  });
  return usual;
}

} // namespace transfold::runtime::inline steps
