// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The server: one handler for each method. Messages are handled one after
// another, since an analysis takes milliseconds.

#include "compiler/lsp/Server.h"

#include "compiler/lsp/CheckedInput.h"
#include "compiler/lsp/Completion.h"
#include "compiler/lsp/Diagnostics.h"
#include "compiler/lsp/Hover.h"
#include "compiler/lsp/Navigation.h"
#include "compiler/lsp/Rename.h"
#include "compiler/lsp/Symbols.h"

namespace transfold::lsp {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::NoParams;
using Reply = llvm::lsp::Callback<Value>;

namespace {
class Server {
public:
  explicit Server(llvm::lsp::JSONTransport &transport) : handler(transport) {
    publish =
        handler.outgoingNotification<Value>("textDocument/publishDiagnostics");
    connectLifetime();
    connectFeatures();
  }
  llvm::lsp::MessageHandler handler;
  bool isShutDown = false;

private:
  void connectLifetime();
  void connectFeatures();

  // Lifetime and documents.
  void initialize(const NoParams &, Reply reply);
  void ignore(const NoParams &) {}
  void shutdown(const NoParams &, Reply reply);
  void opened(const llvm::lsp::DidOpenTextDocumentParams &params);
  void changed(const llvm::lsp::DidChangeTextDocumentParams &params);
  void closed(const llvm::lsp::DidCloseTextDocumentParams &params);
  void saved(const NoParams &) { publishAll(documents.refresh()); }
  void publishAll(const std::vector<const Document *> &analysed);

  // Features.
  void hover(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void definition(const llvm::lsp::TextDocumentPositionParams &params,
                  Reply reply);
  void references(const llvm::lsp::ReferenceParams &params, Reply reply);
  void highlight(const llvm::lsp::TextDocumentPositionParams &params,
                 Reply reply);
  void symbols(const llvm::lsp::DocumentSymbolParams &params, Reply reply);
  void completion(const llvm::lsp::TextDocumentPositionParams &params,
                  Reply reply);
  void codeAction(const llvm::lsp::CodeActionParams &params, Reply reply);

  void rename(const RenameParams &params, Reply reply);

  /// The open document; replies with an error and returns null if it is not
  /// open.
  const Document *find(const llvm::lsp::URIForFile &uri, Reply &reply);

  Documents documents;
  llvm::lsp::OutgoingNotification<Value> publish;
};
} // namespace

//===----------------------------------------------------------------------===//
// Lifetime and documents
//===----------------------------------------------------------------------===//

void Server::connectLifetime() {
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::ignore);
  handler.method("shutdown", this, &Server::shutdown);
  handler.notification("textDocument/didOpen", this, &Server::opened);
  handler.notification("textDocument/didChange", this, &Server::changed);
  handler.notification("textDocument/didClose", this, &Server::closed);
  handler.notification("textDocument/didSave", this, &Server::saved);
}

/// Documents are sent as a whole (1): specs have some hundred lines.
void Server::initialize(const NoParams &, Reply reply) {
  Object capabilities{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       Object{{"openClose", true}, {"change", 1}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"completionProvider", Object{{"triggerCharacters", Array{"\"", "/"}}}},
      {"renameProvider", true},
      {"codeActionProvider", Object{{"codeActionKinds", Array{"quickfix"}}}}};
  reply(Object{{"serverInfo", Object{{"name", "transfold-lsp"},
                                     {"version", TRANSFOLD_VERSION}}},
               {"capabilities", std::move(capabilities)}});
}

void Server::shutdown(const NoParams &, Reply reply) {
  isShutDown = true;
  reply(nullptr);
}

void Server::publishAll(const std::vector<const Document *> &analysed) {
  for (const Document *document : analysed)
    publish(diagnosticsOf(*document));
}

void Server::opened(const llvm::lsp::DidOpenTextDocumentParams &params) {
  const llvm::lsp::TextDocumentItem &item = params.textDocument;
  publishAll(documents.set(item.uri, item.text, item.version));
}

void Server::changed(const llvm::lsp::DidChangeTextDocumentParams &params) {
  const llvm::lsp::URIForFile &uri = params.textDocument.uri;
  if (!documents.find(uri) || params.contentChanges.empty())
    return;
  const auto &change = params.contentChanges.back();
  if (change.range)
    return llvm::lsp::Logger::error("{0}: a change of a range was sent, but "
                                    "the server asked for whole documents",
                                    uri.file());
  publishAll(documents.set(uri, change.text, params.textDocument.version));
}

void Server::closed(const llvm::lsp::DidCloseTextDocumentParams &params) {
  const llvm::lsp::URIForFile &uri = params.textDocument.uri;
  publishAll(documents.close(uri));
  publish(Object{{"uri", uri}, {"diagnostics", Array()}});
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

void Server::connectFeatures() {
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/definition", this, &Server::definition);
  handler.method("textDocument/references", this, &Server::references);
  handler.method("textDocument/documentHighlight", this, &Server::highlight);
  handler.method("textDocument/documentSymbol", this, &Server::symbols);
  handler.method("textDocument/completion", this, &Server::completion);
  handler.method("textDocument/codeAction", this, &Server::codeAction);
  handler.method("textDocument/rename", this, &Server::rename);
}

const Document *Server::find(const llvm::lsp::URIForFile &uri, Reply &reply) {
  const Document *document = documents.find(uri);
  if (!document)
    reply(llvm::make_error<llvm::lsp::LSPError>(
        "the document is not open: " + uri.file().str(),
        llvm::lsp::ErrorCode::InvalidParams));
  return document;
}

void Server::hover(const llvm::lsp::TextDocumentPositionParams &params,
                   Reply reply) {
  const Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  auto found = hoverAt(documents, *document, params.position);
  reply(found ? Value(*found) : Value(nullptr));
}

void Server::definition(const llvm::lsp::TextDocumentPositionParams &params,
                        Reply reply) {
  if (const Document *document = find(params.textDocument.uri, reply))
    reply(Array(definitionsAt(*document, params.position)));
}

void Server::references(const llvm::lsp::ReferenceParams &params, Reply reply) {
  if (const Document *document = find(params.textDocument.uri, reply))
    reply(Array(referencesAt(documents, *document, params.position,
                             params.context.includeDeclaration)));
}

void Server::highlight(const llvm::lsp::TextDocumentPositionParams &params,
                       Reply reply) {
  const Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  Array list;
  for (const llvm::lsp::Range &range : highlightsAt(*document, params.position))
    list.push_back(Object{{"range", range}});
  reply(std::move(list));
}

void Server::symbols(const llvm::lsp::DocumentSymbolParams &params,
                     Reply reply) {
  if (const Document *document = find(params.textDocument.uri, reply))
    reply(Array(outlineOf(document->analysis->spec.main)));
}

void Server::completion(const llvm::lsp::TextDocumentPositionParams &params,
                        Reply reply) {
  if (const Document *document = find(params.textDocument.uri, reply))
    reply(completionsAt(*document, params.position));
}

void Server::codeAction(const llvm::lsp::CodeActionParams &params,
                        Reply reply) {
  if (const Document *document = find(params.textDocument.uri, reply))
    reply(codeActionsIn(*document, params.range));
}

void Server::rename(const RenameParams &params, Reply reply) {
  const Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  auto edit = renameAt(documents, *document, params.position, params.newName);
  if (edit)
    reply(Value(*edit));
  else
    reply(edit.takeError());
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

int serve(std::FILE *input, llvm::raw_ostream &output) {
  auto checked = std::make_unique<CheckedInput>(input);
  CheckedInput &reader = *checked;
  llvm::lsp::JSONTransport transport(std::move(checked), output);
  reader.replyTo(transport);
  Server server(transport);
  llvm::Error error = transport.run(server.handler);
  // Without `exit`, the input ended: the editor is gone.
  llvm::consumeError(std::move(error));
  return server.isShutDown ? 0 : 1;
}

} // namespace transfold::lsp
