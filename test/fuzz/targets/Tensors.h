// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The guarantees of every reader of weights for a tensor.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"
#include "test/fuzz/targets/Input.h"

namespace transfold::fuzz {

/// The tensor is within the file and has as many bytes as its shape says; its
/// first and its last element can be read. Returns the last one.
inline double requireTensorOf(const checkpoint::MappedFile &file,
                              const checkpoint::StoredTensor &tensor) {
  int64_t elements = 1;
  for (int64_t extent : tensor.shape)
    elements *= extent;
  require(tensor.count() == elements, "as many bytes as the shape says");
  require(&tensor.bytes.front() >= &file.bytes().front() &&
              &tensor.bytes.back() <= &file.bytes().back(),
          "the tensor lies in the file");
  (void)tensor.element(0);
  return tensor.element(elements - 1);
}

} // namespace transfold::fuzz
