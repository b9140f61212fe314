// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server for specs. An editor starts it, and talks to it on
// standard input and output.

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/lsp/Server.h"

#include <llvm/Support/raw_ostream.h>

#include <string_view>

static constexpr const char *help =
    R"(transfold-lsp: the language server for specs (.xf)

Usage: transfold-lsp [--log=error|info|debug]

An editor starts this program, and sends messages of the language server protocol
to its standard input. docs/editors.md says how editors are set up.

  --log=LEVEL   which messages are written to standard error; error by default
  --stdio       has no effect: standard input and output are always used
  --version     prints the version
  --help        prints this text

TRANSFOLD_SPECS is the folder that has std/, for specs that are not in or below
such a folder themselves.
)";

int main(int argc, char **argv) {
  using llvm::lsp::Logger;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--help") {
      transfold::printNow(help);
      return 0;
    }
    if (option == "--version") {
      transfold::printNow("transfold-lsp " TRANSFOLD_VERSION "\n");
      return 0;
    }
    if (option == "--log=debug")
      Logger::setLogLevel(Logger::Level::Debug);
    else if (option == "--log=info")
      Logger::setLogLevel(Logger::Level::Info);
    else if (option != "--log=error" && option != "--stdio") {
      transfold::reportLine("transfold-lsp: error: there is no option " +
                            std::string(option) + "; --help lists the options");
      return 1;
    }
  }
  return transfold::lsp::serve(stdin, llvm::outs());
}
