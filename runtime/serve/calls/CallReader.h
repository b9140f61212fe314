// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads calls back from the text of an answer, which arrives in pieces.

#pragma once

#include "runtime/chat/CallSyntax.h"
#include "runtime/chat/JsonExtent.h"
#include "runtime/serve/calls/CallIds.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// A part of an answer: text, or a part of a call.
struct AnswerPart {
  std::string text = {};
  /// Otherwise: the index of the call among those of the answer; with the first
  /// part of a call its id and name, with others more of its arguments.
  bool isOfCall = false;
  size_t call = 0;
  std::string id = {}, name = {}, arguments = {};
};

/// Reads one answer.
class CallReader {
public:
  CallReader(std::shared_ptr<const chat::CallSyntax> syntax, CallIds ids)
      : syntax(std::move(syntax)), ids(std::move(ids)) {}

  /// The parts that are certain with this text. White space before calls is
  /// not part of the text.
  std::vector<AnswerPart> read(std::string_view text);
  /// What was held back when the answer ended.
  std::vector<AnswerPart> finish();
  /// Number of calls whose names are known.
  size_t calls() const { return begun; }

private:
  enum class Place { Begin, Text, PlainText, Name, Arguments, After, End };

  std::shared_ptr<const chat::CallSyntax> syntax;
  CallIds ids;
  Place place = Place::Begin;
  std::string held; // read, but not in a part yet
  chat::JsonExtent extent;
  size_t begun = 0;

  /// Each reads the beginning of `held`; returns false if it needs more text.
  bool step(std::vector<AnswerPart> &parts);
  bool readBegin();
  bool readText(std::vector<AnswerPart> &parts);
  bool readName(std::vector<AnswerPart> &parts);
  bool readArguments(std::vector<AnswerPart> &parts);
  bool readAfter();
  /// Moves the first bytes of `held` to a part.
  void show(size_t count, std::vector<AnswerPart> &parts);
};

} // namespace transfold::runtime::serve
