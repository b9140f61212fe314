// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default sampling options of a server.

#ifndef TRANSFOLD_RUNTIME_STEPS_SAMPLING_USUALSAMPLING_H
#define TRANSFOLD_RUNTIME_STEPS_SAMPLING_USUALSAMPLING_H

#include "runtime/program/metadata/Metadata.h"
#include "runtime/steps/sampling/Sampling.h"

namespace transfold::runtime::inline steps {

/// The options in the model's files; for those that are missing, temperature 1
/// and no cuts, as OpenAI's servers do. Throws Error if the task's options are
/// damaged.
SamplingOptions usualSampling(const Task &task);

} // namespace transfold::runtime::inline steps

#endif // TRANSFOLD_RUNTIME_STEPS_SAMPLING_USUALSAMPLING_H
