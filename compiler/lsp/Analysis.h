// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of one open spec: its syntax trees, names, shapes and mistakes.

#pragma once

#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/NameIndex.h"

#include <llvm/Support/LSP/Protocol.h>

#include <memory>
#include <string>
#include <vector>

namespace transfold::lsp {

/// The result of all checks of `transfold check SPEC`. It does not change, so
/// that pointers into it stay valid.
struct Analysis {
  /// The trees have all items and statements without mistakes.
  spec::LoadedSpec spec;
  spec::NameIndex index; // refers to `spec`
  spec::Shapes shapes;
  std::vector<spec::Diagnostic> diagnostics; // also of libraries
};

/// Analyses the spec at `path`; `read` returns the texts of open documents.
std::shared_ptr<const Analysis> analyze(const std::string &path,
                                        const spec::ReadSource &read);

/// The folder of std/ for a spec: the nearest folder above it that has one,
/// otherwise that of the installed specs.
std::string specFolderFor(const std::string &path);

} // namespace transfold::lsp
