// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks `classify` and `tag`: which of the model's labels a text has, or
// each of its tokens. The entry gives a number for each class; their softmax
// are probabilities.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_CLASSES_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_CLASSES_H

#include "runtime/tasks/text/Labels.h"
#include "runtime/tasks/text/TextCall.h"

#include <string_view>
#include <vector>

namespace transfold::runtime {

class Classifier {
public:
  /// Throws Error where the program does not classify texts.
  explicit Classifier(Session &session);

  const Labels &labels() const { return names; }
  struct Classified {
    Encoding encoding;
    std::vector<Label> labels; // the `top` likeliest
  };
  Classified run(std::string_view text, size_t top);

private:
  TextCall call;
  Labels names;
};

class Tagger {
public:
  /// Throws Error where the program does not classify tokens.
  explicit Tagger(Session &session);

  const Labels &labels() const { return names; }
  const Tokenizer &tokens() const { return call.tokens(); }
  struct Tagged {
    Token token;
    std::vector<Label> labels; // the `top` likeliest
  };
  struct TaggedText {
    Encoding encoding;
    std::vector<Tagged> tokens; // those of the text, not what is around it
  };
  TaggedText run(std::string_view text, size_t top);

private:
  TextCall call;
  Labels names;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_CLASSES_H
