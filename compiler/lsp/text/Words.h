// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keywords and functions of the language, each with its form and a sentence
// that describes it, for hovers and completion.

#pragma once

#include <map>
#include <string_view>

namespace transfold::lsp {

/// A keyword or a function of the language.
struct Word {
  std::string_view form;    // "softmax(S | M)"
  std::string_view meaning; // a sentence
};

/// The keywords, including those that are keywords in some places only.
const std::map<std::string_view, Word> &keywordWords();

/// The functions and constants of the language (spec::primitives).
const std::map<std::string_view, Word> &functionWords();

} // namespace transfold::lsp
