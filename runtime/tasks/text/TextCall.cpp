// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the arguments of an entry by their external names, those of
// Hugging Face's interface (input_ids, token_type_ids); all others need a
// default.

#include "runtime/tasks/text/TextCall.h"

#include "base/Error.h"
#include "runtime/program/call/Finite.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

void checkTokenizer(const LoadedProgram &program, std::string_view instead) {
  if (program.tokenizerTables().empty())
    fail("this program has no tokenizer: its model had none, or one that is "
         "not supported; {}",
         instead);
}

namespace {

/// The program's task of a kind. Throws Error if it has none, or no tokenizer
/// though texts are given.
const Task &taskOf(const LoadedProgram &program, const char *kind,
                   TextCall::Given given) {
  const Task *task = program.metadata().task(kind);
  if (!task || task->entries.empty())
    fail("this program has no task '{}'", kind);
  if (given == TextCall::Given::Texts)
    checkTokenizer(program, "`eval` takes ids");
  program.weights(); // the system reads them while the tokenizer is created
  return *task;
}

} // namespace

TextCall::TextCall(Session &session, const char *kind, Given given)
    : described(taskOf(session.program(), kind, given)),
      call(session, session.metadata().entry(described.entries[0])) {
  if (given == Given::Texts)
    tokenizer.emplace(session.program().tokenizerTables());
  for (size_t i = 0; i < entry().arguments.size(); ++i) {
    const Argument &argument = entry().arguments[i];
    if (argument.external == "input_ids")
      ids = i;
    else if (argument.external == "token_type_ids")
      types = i;
    else if (!argument.defaultValue)
      fail("entry '{}' needs '{}', which a text does not provide", entry().name,
           argument.external);
  }
  if (!ids || ownLengths(entry()).size() != 1 || entry().results.empty())
    fail("entry '{}' does not turn tokens into one result", entry().name);
  // The lengths of arguments come first.
  if (entry().limits[0])
    limit = static_cast<size_t>(*entry().limits[0]);
  auto option = described.options.find("max_tokens");
  if (option != described.options.end() && option->is_number_unsigned())
    limit = std::min(limit, option->get<size_t>());
  auto before = described.options.find("prompt");
  if (before != described.options.end() && before->is_string())
    prompt = before->get<std::string>();
}

void TextCall::check(const Encoding &encoding, std::string_view place) const {
  if (encoding.ids.empty())
    fail("has no tokens");
  checkTokens(encoding.ids, entry().arguments[*ids].bound, place);
  int64_t knownTypes = types ? entry().arguments[*types].bound : 0;
  for (int32_t type : encoding.types)
    if (knownTypes && type >= knownTypes)
      fail("the tokenizer returns the type {} of a text; the model knows 0 to "
           "{}",
           type, knownTypes - 1);
}

Encoding TextCall::encodeWith(std::string_view text,
                              const TokenizerEffort &effort) const {
  Encoding encoding =
      prompt.empty()
          ? tokenizer->encode(text, limit, {}, effort)
          : tokenizer->encode(prompt + std::string(text), limit, {}, effort);
  check(encoding, "the ids of the tokenizer");
  return encoding;
}

Encoding TextCall::encode(std::string_view text) const {
  return encodeWith(text, {});
}

Encoding TextCall::encode(std::string_view text, bool refuses,
                          std::function<void()> look) const {
  return encodeWith(text, {limit, refuses, std::move(look)});
}

void TextCall::checkPairs() const {
  if (!tokenizer->takesPairs())
    fail("the model's tokenizer does not combine two texts, such as a query "
         "and a document");
}

Encoding TextCall::encodePair(std::string_view first, std::string_view second,
                              bool refuses, std::function<void()> look) const {
  checkPairs();
  // The longer text is shortened first, so the whole lengths must be known.
  const size_t most = refuses ? limit : Tokenizer::unlimited;
  Encoding encoding = tokenizer->encodePair(first, second, limit,
                                            {most, refuses, std::move(look)});
  check(encoding, "the ids of the tokenizer");
  return encoding;
}

Encoding TextCall::encode(std::span<const int32_t> ids) const {
  Encoding encoding;
  encoding.ids.assign(ids.begin(), ids.end());
  encoding.types.assign(ids.size(), 0);
  check(encoding, "");
  if (ids.size() > limit)
    fail("has {} tokens, the model reads {}", ids.size(), limit);
  return encoding;
}

void TextCall::run(std::span<const Encoding> texts) {
  std::vector<int64_t> lengths;
  for (const Encoding &text : texts)
    lengths.insert(lengths.end(), entry().lengths.size(),
                   static_cast<int64_t>(text.ids.size()));
  call.setSequences(lengths, texts.size());
  for (size_t i = 0; i < entry().arguments.size(); ++i) {
    if (i != ids && i != types) {
      call.fill(i);
      continue;
    }
    for (size_t text = 0; text < texts.size(); ++text)
      std::ranges::copy(i == ids ? texts[text].ids : texts[text].types,
                        call.integers(i, text).begin());
  }
  call.run();
  for (size_t text = 0; text < texts.size(); ++text)
    checkFinite(call.result(0, text), [&] {
      return fmt::format("for a text of {} tokens", texts[text].ids.size());
    });
}

Encoding TextCall::run(std::string_view text) {
  Encoding encoding = encode(text);
  run(std::span(&encoding, 1));
  return encoding;
}

} // namespace transfold::runtime::inline tasks
