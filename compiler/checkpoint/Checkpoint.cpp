// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Checkpoint.h"

#include "compiler/checkpoint/HuggingFace.h"

namespace transfold::checkpoint {

std::unique_ptr<Checkpoint> Checkpoint::open(const std::string &directory,
                                             WithoutWeights missing) {
  return openHuggingFace(directory, missing);
}

} // namespace transfold::checkpoint
