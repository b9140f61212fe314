// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directory as written by CTranslate2's converters: model.bin, config.json
// and vocabularies.

#pragma once

#include "compiler/checkpoint/Container.h"

namespace transfold::checkpoint {

/// The container "ct2".
extern const Container ct2;

} // namespace transfold::checkpoint
