// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as one GGUF file, or as several that were split by llama.cpp's
// gguf-split.

#pragma once

#include "compiler/checkpoint/Container.h"

namespace transfold::checkpoint {

/// The container "gguf".
extern const Container gguf;

} // namespace transfold::checkpoint
