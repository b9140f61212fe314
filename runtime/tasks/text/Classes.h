// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks `classify` and `tag`: the most likely labels of a text, or of each
// of its tokens. The entry returns a logit for each class; probabilities are
// their softmax.

#pragma once

#include "runtime/tasks/text/Labels.h"
#include "runtime/tasks/text/TextCall.h"

#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Classifies texts.
class Classifier {
public:
  /// Throws Error if the program does not classify texts.
  explicit Classifier(Session &session);

  const Labels &labels() const { return names; }
  /// A text's tokens and its most likely labels.
  struct Classified {
    Encoding encoding;
    std::vector<Label> labels; // the `top` most likely
  };
  /// Classifies one text. Throws Error.
  Classified run(std::string_view text, size_t top);

private:
  TextCall call;
  Labels names;
};

/// Classifies the tokens of texts.
class Tagger {
public:
  /// Throws Error if the program does not classify tokens.
  explicit Tagger(Session &session);

  const Labels &labels() const { return names; }
  const Tokenizer &tokens() const { return call.tokens(); }
  /// A token and its most likely labels.
  struct Tagged {
    Token token;
    std::vector<Label> labels; // the `top` most likely
  };
  /// A text's tokens and the labels of those that are part of the text.
  struct TaggedText {
    Encoding encoding;
    std::vector<Tagged> tokens; // without the special tokens
  };
  /// Classifies the tokens of one text. Throws Error.
  TaggedText run(std::string_view text, size_t top);

private:
  TextCall call;
  Labels names;
};

} // namespace transfold::runtime::inline tasks
