// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a server draws tokens where a request does not say it.

#ifndef TRANSFOLD_RUNTIME_STEPS_USUALSAMPLING_H
#define TRANSFOLD_RUNTIME_STEPS_USUALSAMPLING_H

#include "runtime/program/Metadata.h"
#include "runtime/steps/Sampling.h"

namespace transfold::runtime {

/// As the model's makers say, as far as they do; else with temperature 1 and
/// without cuts, as OpenAI's servers do. Throws Error where the task's options
/// are damaged.
SamplingOptions usualSampling(const Task &task);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_USUALSAMPLING_H
