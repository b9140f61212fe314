// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of mistakes in a spec, each with a code that never changes
// (XF0501) and a page that explains it. The list is in Codes.def.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace transfold::spec {

/// The number of a code is its value: 501 for XF0501.
enum class Code {
#define XF_CODE(number, name, title, page) name = (number),
#include "compiler/spec/syntax/Codes.def"
};

/// A code with its explanation.
struct CodePage {
  Code code;
  std::string_view title; // "a name is not defined"
  std::string_view page;  // paragraphs of at most 80 columns
};

/// All codes, in ascending order.
std::span<const CodePage> codePages();

/// "XF0501"
std::string text(Code code);

/// The code with this text; null if there is none.
const CodePage *codePageOf(std::string_view text);

} // namespace transfold::spec
