// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directory as written by `save_pretrained`: config.json beside one
// safetensors file, or beside several and an index that maps tensors to files.

#pragma once

#include "compiler/checkpoint/Container.h"

namespace transfold::checkpoint {

/// The container "hf".
extern const Container huggingFace;

} // namespace transfold::checkpoint
