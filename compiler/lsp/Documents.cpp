// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open documents. Their texts replace the files on the disk, also where other
// documents use them as libraries.

#include "compiler/lsp/Documents.h"

#include <algorithm>

namespace transfold::lsp {

std::shared_ptr<const Analysis>
Documents::analyzeAs(const Document &document, const std::string &text) const {
  const std::string path = document.uri.file().str();
  return lsp::analyze(path, [&](const std::string &wanted) {
    if (wanted == path)
      return spec::Source::fromContent(path, text);
    auto open = documents.find(wanted);
    return open == documents.end()
               ? spec::Source::load(wanted)
               : spec::Source::fromContent(wanted, open->second.text);
  });
}

void Documents::analyze(Document &document) {
  document.analysis = analyzeAs(document, document.text);
}

/// Whether the spec has a library at `path`.
static bool usesFile(const Analysis &analysis, const std::string &path) {
  return std::ranges::any_of(analysis.spec.libraries, [&](const auto &library) {
    return library.second.source && library.second.source->path == path;
  });
}

std::vector<const Document *> Documents::analyzeUsers(const std::string &path) {
  std::vector<const Document *> result;
  for (auto &[user, document] : documents)
    if (user != path && usesFile(*document.analysis, path)) {
      analyze(document);
      result.push_back(&document);
    }
  return result;
}

std::vector<const Document *> Documents::set(const llvm::lsp::URIForFile &uri,
                                             std::string text,
                                             int64_t version) {
  const std::string path = uri.file().str();
  Document &document = documents[path];
  document.uri = uri;
  document.text = std::move(text);
  document.version = version;
  analyze(document);
  std::vector<const Document *> result = analyzeUsers(path);
  result.insert(result.begin(), &document);
  return result;
}

std::vector<const Document *>
Documents::close(const llvm::lsp::URIForFile &uri) {
  documents.erase(uri.file().str());
  return analyzeUsers(uri.file().str());
}

std::vector<const Document *> Documents::refresh() {
  std::vector<const Document *> result;
  for (auto &[path, document] : documents) {
    analyze(document);
    result.push_back(&document);
  }
  return result;
}

const Document *Documents::find(const llvm::lsp::URIForFile &uri) const {
  auto found = documents.find(uri.file().str());
  return found == documents.end() ? nullptr : &found->second;
}

std::vector<std::shared_ptr<const Analysis>> Documents::analyses() const {
  std::vector<std::shared_ptr<const Analysis>> result;
  for (const auto &[path, document] : documents)
    result.push_back(document.analysis);
  return result;
}

} // namespace transfold::lsp
