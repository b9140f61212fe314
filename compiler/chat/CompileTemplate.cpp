// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of the compiler: size and encoding, tokens, nodes, notes.

#include "compiler/chat/CompileTemplate.h"

#include "base/Error.h"
#include "base/text/Unicode.h"
#include "compiler/chat/Check.h"
#include "compiler/chat/Parser.h"

namespace transfold::chat {

runtime::chat::TemplateProgram
compileTemplate(std::string_view source, const std::string &file,
                std::vector<std::string> *notes) {
  constexpr size_t most = size_t{1} << 20; // the largest in use have 30 KB
  if (source.size() > most)
    throw TemplateError(file + ": is larger than 1 MiB");
  try {
    (void)decodeUtf8(source);
  } catch (const Error &error) {
    throw TemplateError(file + ": " + error.what());
  }
  auto program = Parser(tokensOf(source, file), file).parse();
  if (notes)
    *notes = check(program);
  return program;
}

} // namespace transfold::chat
