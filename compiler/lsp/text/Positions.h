// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions of the protocol count lines from 0, and characters in UTF-16 units
// from 0. Places in specs count lines and code points from 1.

#pragma once

#include "compiler/spec/syntax/Source.h"

#include <llvm/Support/LSP/Protocol.h>

namespace transfold::lsp {

/// The position of a place; the begin of the text for a place without a line.
llvm::lsp::Position positionOf(const spec::Place &place);

/// The range from the first to the last place.
llvm::lsp::Range rangeOf(const spec::Range &range);

/// The place of a position. One past the end of its line is that end, and one
/// inside of a surrogate pair is the character after it.
spec::Place placeAt(const std::shared_ptr<const spec::Source> &source,
                    const llvm::lsp::Position &position);

/// The end of the text.
llvm::lsp::Position endOf(const spec::Source &source);

} // namespace transfold::lsp
