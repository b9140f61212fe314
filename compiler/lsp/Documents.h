// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents that the editor has open, and what is known of them.

#pragma once

#include "compiler/lsp/Analysis.h"

#include <map>

namespace transfold::lsp {

/// A document of the editor.
struct Document {
  llvm::lsp::URIForFile uri;
  std::string text;
  int64_t version = 0;
  std::shared_ptr<const Analysis> analysis = nullptr;
};

/// All open documents, by their paths.
class Documents {
public:
  /// Opens or replaces a document, and analyses it and the documents that use
  /// it. Returns those that were analysed.
  std::vector<const Document *> set(const llvm::lsp::URIForFile &uri,
                                    std::string text, int64_t version);
  /// Forgets a document, and analyses those that use its file. Returns these.
  std::vector<const Document *> close(const llvm::lsp::URIForFile &uri);
  /// Analyses all documents again, since a file may have changed.
  std::vector<const Document *> refresh();
  /// The document; null if it is not open.
  const Document *find(const llvm::lsp::URIForFile &uri) const;
  /// The analyses of all documents.
  std::vector<std::shared_ptr<const Analysis>> analyses() const;

  /// What would be known of a document with another text.
  std::shared_ptr<const Analysis> analyzeAs(const Document &document,
                                            const std::string &text) const;

private:
  /// Analyses a document.
  void analyze(Document &document);
  /// Analyses the documents that use the file at `path`.
  std::vector<const Document *> analyzeUsers(const std::string &path);

  std::map<std::string, Document> documents;
};

} // namespace transfold::lsp
