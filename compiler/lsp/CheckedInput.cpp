// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of messages before the transport parses them again, which costs
// some microseconds for a spec.

#include "compiler/lsp/CheckedInput.h"

#include <llvm/Support/JSON.h>

namespace transfold::lsp {

using llvm::lsp::ErrorCode;

llvm::LogicalResult CheckedInput::readStandardMessage(std::string &json) {
  if (llvm::failed(input.readStandardMessage(json)))
    return llvm::failure();
  auto refuse = [&](const std::string &message, ErrorCode code) {
    transport->reply(nullptr,
                     llvm::make_error<llvm::lsp::LSPError>(message, code));
    return llvm::failure();
  };
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
  if (!parsed)
    return refuse("this is not JSON: " + llvm::toString(parsed.takeError()),
                  ErrorCode::ParseError);
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object || object->getString("jsonrpc") != llvm::StringRef("2.0"))
    return refuse("this is not a message of JSON-RPC 2.0",
                  ErrorCode::InvalidRequest);
  return llvm::success();
}

} // namespace transfold::lsp
