// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations as one line of the language, for outlines and hovers.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <string>

namespace transfold::lsp {

/// "W_Q[h, d, d_k]?"
std::string declarationOf(const spec::Weight &weight);
/// "layers[l < L]: layer[d]"
std::string declarationOf(const spec::Part &part);
/// "x[n, d] = 0"
std::string declarationOf(const spec::Parameter &parameter);
/// "block attention[d, h](x[n, d]) -> [n, d]"
std::string declarationOf(const spec::Block &block);
/// "entry decode(tokens[n]) -> logits[n, vocab]"
std::string declarationOf(const spec::Entry &entry);
/// "logits[n, vocab]"
std::string declarationOf(const spec::Result &result);
/// "f(x)[i < h] = x[i] * c where c = 2"
std::string declarationOf(const spec::Definition &definition);
/// "\"q.weight\" as [h * d_k, d] at 1": the right side of a line of a table.
std::string sourceOf(const spec::Binding &binding);

/// The comment of a declaration at `place`: the lines above that are comments,
/// and the comment at the end of its line; empty without one.
std::string commentOf(const spec::Place &place);

} // namespace transfold::lsp
