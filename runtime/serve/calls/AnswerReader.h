// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads thoughts and calls back from the text of an answer, which arrives in
// pieces.

#pragma once

#include "runtime/chat/CallSyntax.h"
#include "runtime/chat/JsonExtent.h"
#include "runtime/chat/ThoughtSyntax.h"
#include "runtime/serve/calls/CallIds.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// A part of an answer: text, a thought, or a part of a call.
struct AnswerPart {
  std::string text = {};
  bool isThought = false; // the text
  /// Otherwise: the index of the call among those of the answer; with the first
  /// part of a call its id and name, with others more of its arguments.
  bool isOfCall = false;
  size_t call = 0;
  std::string id = {}, name = {}, arguments = {};
};

/// The forms in which an answer may have thoughts and calls; null for those
/// that it cannot have.
struct AnswerForms {
  std::shared_ptr<const chat::CallSyntax> calls;
  std::shared_ptr<const chat::ThoughtSyntax> thoughts;
  bool areEmpty() const { return !calls && !thoughts; }
};

/// Reads one answer.
class AnswerReader {
public:
  /// `isThinking`: the prompt has begun a thought.
  AnswerReader(AnswerForms forms, const CallIds &ids, bool isThinking = false)
      : syntax(std::move(forms.calls)), thoughts(std::move(forms.thoughts)),
        ids(ids), place(!thoughts    ? Place::Begin
                        : isThinking ? Place::Thought
                                     : Place::Opening) {}

  /// The parts that are certain with this text. White space around thoughts and
  /// before calls is not part of the text.
  std::vector<AnswerPart> read(std::string_view text);
  /// What was held back when the answer ended.
  std::vector<AnswerPart> finish();
  /// Number of calls whose names are known.
  size_t calls() const { return begun; }

private:
  enum class Place {
    Opening, // the answer may begin with a thought
    Thought,
    AfterThought,
    Begin, // the text may begin with a call
    Text,
    PlainText,
    Name,
    Arguments,
    After,
    End
  };

  std::shared_ptr<const chat::CallSyntax> syntax; // of calls
  std::shared_ptr<const chat::ThoughtSyntax> thoughts;
  CallIds ids;
  Place place;
  std::string held; // read, but not in a part yet
  chat::JsonExtent extent;
  size_t begun = 0;
  bool hasThought = false; // a part of a thought was shown

  /// Each reads the beginning of `held`; returns false if it needs more text.
  bool step(std::vector<AnswerPart> &parts);
  bool readOpening();
  bool readThought(std::vector<AnswerPart> &parts);
  bool readBegin();
  bool readText(std::vector<AnswerPart> &parts);
  bool readName(std::vector<AnswerPart> &parts);
  bool readArguments(std::vector<AnswerPart> &parts);
  bool readAfter();
  /// Moves the first bytes of `held` to a part.
  void show(size_t count, std::vector<AnswerPart> &parts,
            bool isThought = false);
};

} // namespace transfold::runtime::serve
