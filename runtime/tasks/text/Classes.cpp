// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the shapes of results, [classes] for a text and [n, classes] for its
// tokens, and ranks their scores.

#include "runtime/tasks/text/Classes.h"

#include "base/Error.h"

namespace transfold::runtime::inline tasks {

namespace {

/// The labels of the task, as many as the entry has scores. Throws Error if its
/// result is not of the expected shape.
Labels labelsOfText(const TextCall &call) {
  const Shape &shape = call.entry().results[0].shape;
  if (shape.size() != 1 || shape[0].length >= 0 || shape[0].size < 1)
    fail("entry '{}' does not return one score for each class",
         call.entry().name);
  return {call.task(), static_cast<size_t>(shape[0].size)};
}

/// The labels of a task with scores for each token. Throws Error for another
/// shape.
Labels labelsOfTokens(const TextCall &call) {
  const Shape &shape = call.entry().results[0].shape;
  if (!isRowForEach(shape) || shape[0].length != 0 || shape[1].size < 1)
    fail("entry '{}' does not return one score for each token and class",
         call.entry().name);
  return {call.task(), static_cast<size_t>(shape[1].size)};
}

} // namespace

Classifier::Classifier(Session &session)
    : call(session, "classify"), names(labelsOfText(call)) {}

Classifier::Classified Classifier::run(std::string_view text, size_t top) {
  Encoding encoding = call.run(text);
  return {std::move(encoding), names.argmax(call.result(0), top)};
}

Tagger::Tagger(Session &session)
    : call(session, "tag"), names(labelsOfTokens(call)) {}

Tagger::TaggedText Tagger::run(std::string_view text, size_t top) {
  TaggedText result{call.run(text), {}};
  const Encoding &encoding = result.encoding;
  size_t classes = names.all().size();
  for (size_t i = 0; i < encoding.tokens.size(); ++i)
    if (encoding.texts[i] >= 0)
      result.tokens.push_back(
          {encoding.tokens[i],
           names.argmax(call.result(0).subspan(i * classes, classes), top)});
  return result;
}

} // namespace transfold::runtime::inline tasks
