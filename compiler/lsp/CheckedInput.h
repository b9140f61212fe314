// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a client. LLVM's transport ends at a message that is not one of
// JSON-RPC, and ignores text that is not JSON; the protocol requires a reply.

#pragma once

#include <llvm/Support/LSP/Transport.h>

#include <cstdio>

namespace transfold::lsp {

/// Reads messages with a header, and replies to those that are malformed.
class CheckedInput final : public llvm::lsp::JSONTransportInput {
public:
  explicit CheckedInput(std::FILE *input)
      : JSONTransportInput(llvm::lsp::Standard), input(input) {}
  /// Replies are sent by `transport`, which must outlive this.
  void replyTo(llvm::lsp::JSONTransport &transport) {
    this->transport = &transport;
  }

  bool hasError() const override { return input.hasError(); }
  bool isEndOfInput() const override { return input.isEndOfInput(); }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &json) override {
    return input.readDelimitedMessage(json);
  }

private:
  llvm::lsp::JSONTransportInputOverFile input;
  llvm::lsp::JSONTransport *transport = nullptr;
};

} // namespace transfold::lsp
