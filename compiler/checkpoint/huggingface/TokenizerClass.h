// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class of transformers that reads a directory's tokenizer. It determines
// what no file states, such as the tokens around a text.

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <string>

namespace transfold::checkpoint {

/// The `tokenizer_class` that a JSON file of a Hugging Face directory names,
/// without the "Fast" at the end of some; empty if it names none.
std::string tokenizerClassIn(const Directory &directory, const char *file);

} // namespace transfold::checkpoint
