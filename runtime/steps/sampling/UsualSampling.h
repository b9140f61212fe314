// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default sampling options of a server.

#pragma once

#include "runtime/program/metadata/Metadata.h"
#include "runtime/steps/sampling/Sampling.h"

namespace transfold::runtime::inline steps {

/// The options in the model's files; for those that are missing, temperature 1
/// and no cuts, as OpenAI's servers do. Throws Error if the task's options are
/// damaged.
SamplingOptions usualSampling(const Task &task);

} // namespace transfold::runtime::inline steps
