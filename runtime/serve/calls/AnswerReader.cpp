// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text is held back only as long as it may be the beginning of a call.

#include "runtime/serve/calls/AnswerReader.h"

#include <algorithm>

namespace transfold::runtime::serve {

namespace {

/// The size of the text without white space at its end.
size_t withoutSpace(std::string_view text) {
  return chat::withoutTrailingSpace(text).size();
}

/// The size of the longest end of a text with which `mark` begins.
size_t endThatBegins(std::string_view text, std::string_view mark) {
  size_t size = std::min(text.size(), mark.size());
  while (!mark.starts_with(text.substr(text.size() - size)))
    --size;
  return size;
}

} // namespace

void AnswerReader::show(size_t count, std::vector<AnswerPart> &parts,
                        bool isThought) {
  if (count == 0)
    return;
  if (parts.empty() || parts.back().isOfCall ||
      parts.back().isThought != isThought)
    parts.push_back({.isThought = isThought});
  hasThought |= isThought;
  parts.back().text.append(held, 0, count);
  held.erase(0, count);
}

bool AnswerReader::readOpening() {
  const std::string_view rest = chat::withoutLeadingSpace(held);
  if (rest.starts_with(thoughts->before)) {
    held = rest.substr(thoughts->before.size());
    place = Place::Thought;
    return true;
  }
  if (std::string_view(thoughts->before).starts_with(rest))
    return false;
  place = Place::Begin;
  return true;
}

bool AnswerReader::readThought(std::vector<AnswerPart> &parts) {
  if (!hasThought)
    held = chat::withoutLeadingSpace(held);
  const std::string_view text = held, after = thoughts->after;
  const std::string_view call =
      syntax && syntax->mark ? std::string_view(syntax->before) : "";
  const size_t end = text.find(after),
               begin = call.empty() ? text.npos : text.find(call);
  if (end == text.npos && begin == text.npos) {
    const size_t open =
        std::max(endThatBegins(text, after), endThatBegins(text, call));
    show(withoutSpace(text.substr(0, text.size() - open)), parts, true);
    return false;
  }
  // A call also ends a thought.
  const bool isCall = begin < end;
  const std::string rest(isCall ? text.substr(begin)
                                : text.substr(end + after.size()));
  show(withoutSpace(text.substr(0, std::min(begin, end))), parts, true);
  held = rest;
  place = isCall ? Place::Text : Place::AfterThought;
  return true;
}

bool AnswerReader::readBegin() {
  if (!syntax) {
    place = Place::PlainText;
    return true;
  }
  if (syntax->mark) {
    place = Place::Text;
    return true;
  }
  // Without a mark, only the beginning of an answer can be a call.
  const std::string_view rest = chat::withoutLeadingSpace(held);
  if (rest.starts_with(syntax->before)) {
    held = rest.substr(syntax->before.size());
    place = Place::Name;
    return true;
  }
  if (std::string_view(syntax->before).starts_with(rest))
    return false;
  place = Place::PlainText;
  return true;
}

bool AnswerReader::readText(std::vector<AnswerPart> &parts) {
  const std::string_view text = held;
  if (const size_t at = text.find(syntax->before); at != text.npos) {
    const std::string rest(text.substr(at + syntax->before.size()));
    show(withoutSpace(text.substr(0, at)), parts);
    held = rest;
    place = Place::Name;
    return true;
  }
  const size_t certain = text.size() - endThatBegins(text, syntax->before);
  show(withoutSpace(text.substr(0, certain)), parts);
  return false;
}

bool AnswerReader::readName(std::vector<AnswerPart> &parts) {
  const size_t end = held.find(syntax->middle);
  if (end == held.npos)
    return false;
  AnswerPart part{.isOfCall = true, .call = begun++, .id = ids.next()};
  part.name = held.substr(0, end);
  parts.push_back(std::move(part));
  held.erase(0, end + syntax->middle.size());
  extent = {};
  place = Place::Arguments;
  return true;
}

bool AnswerReader::readArguments(std::vector<AnswerPart> &parts) {
  if (held.empty())
    return false;
  size_t count = 0;
  bool isOver = false;
  while (!isOver && count < held.size())
    isOver = extent.add(held[count++]);
  AnswerPart part{.isOfCall = true, .call = begun - 1};
  part.arguments = held.substr(0, count);
  parts.push_back(std::move(part));
  held.erase(0, count);
  if (isOver)
    place = Place::After;
  return isOver;
}

bool AnswerReader::readAfter() {
  const std::string_view between = syntax->between;
  if (syntax->hasSeveral && held.starts_with(between)) {
    held.erase(0, between.size());
    place = Place::Name;
    return true;
  }
  if (!syntax->hasSeveral || !between.starts_with(held))
    place = Place::End;
  return place == Place::End;
}

bool AnswerReader::step(std::vector<AnswerPart> &parts) {
  switch (place) {
  case Place::Opening:
    return readOpening();
  case Place::Thought:
    return readThought(parts);
  case Place::AfterThought:
    held = chat::withoutLeadingSpace(held);
    if (held.empty())
      return false;
    // Without a mark, only the beginning of an answer can be a call.
    place = syntax && syntax->mark ? Place::Text : Place::PlainText;
    return true;
  case Place::Begin:
    return readBegin();
  case Place::Text:
    return readText(parts);
  case Place::PlainText:
    show(held.size(), parts);
    return false;
  case Place::Name:
    return readName(parts);
  case Place::Arguments:
    return readArguments(parts);
  case Place::After:
    return readAfter();
  case Place::End: // the rest belongs to the syntax
    held.clear();
    return false;
  }
  return false;
}

std::vector<AnswerPart> AnswerReader::read(std::string_view text) {
  held += text;
  std::vector<AnswerPart> parts;
  while (step(parts)) {
  }
  return parts;
}

std::vector<AnswerPart> AnswerReader::finish() {
  std::vector<AnswerPart> parts;
  if (place == Place::Opening || place == Place::Begin || place == Place::Text)
    show(held.size(), parts);
  else if (place == Place::Thought)
    show(held.size(), parts, true);
  held.clear();
  place = Place::End;
  return parts;
}

} // namespace transfold::runtime::serve
