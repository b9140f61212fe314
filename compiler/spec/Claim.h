// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which checkpoints a spec claims in addition to those whose architecture has
// the spec's own name.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <string>

namespace transfold::spec {

/// Whether the spec has `config CONTAINER for "NAME" if CONDITION` with the
/// container and the architecture of this checkpoint, and the condition holds.
/// Libraries are looked up below `root`. Throws SpecError if the spec is
/// invalid or its condition has no value.
bool claims(const std::string &specPath, const std::string &root,
            const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::spec
