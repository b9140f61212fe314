// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codes and their pages, compiled in from Codes.def.

#include "compiler/spec/syntax/Codes.h"

#include <fmt/format.h>

namespace transfold::spec {

/// In ascending order of the codes, as in Codes.def.
static constexpr CodePage pages[] = {
#define XF_CODE(number, name, title, page) {Code::name, title, page},
#include "compiler/spec/syntax/Codes.def"
};

std::span<const CodePage> codePages() { return pages; }

std::string text(Code code) { return fmt::format("XF{:04}", int(code)); }

const CodePage *codePageOf(std::string_view wanted) {
  for (const CodePage &page : pages)
    if (text(page.code) == wanted)
      return &page;
  return nullptr;
}

} // namespace transfold::spec
