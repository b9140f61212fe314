// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/TextCall.h"

#include "runtime/Error.h"
#include "runtime/commands/Messages.h"
#include "runtime/commands/TokenText.h"
#include "runtime/program/Finite.h"
#include "runtime/program/TokenIds.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <unistd.h>

namespace transfold::runtime {

namespace {

const Task &taskOf(const LoadedProgram &program, const char *kind) {
  const Task *task = program.metadata().task(kind);
  if (!task || task->entries.empty())
    fail("this program has no task '{}'", kind);
  checkTokenizer(program, "`eval` takes ids");
  program.weights(); // the system reads them while the tokenizer is made
  return *task;
}

} // namespace

TextCall::TextCall(Session &session, const char *kind)
    : described(taskOf(session.program(), kind)),
      tokenizer(session.program().tokenizerTables()),
      call(session, session.metadata().entry(described.entries[0])) {
  for (size_t i = 0; i < entry().arguments.size(); ++i) {
    const Argument &argument = entry().arguments[i];
    if (argument.external == "input_ids")
      ids = i;
    else if (argument.external == "token_type_ids")
      types = i;
    else if (!argument.defaultValue)
      fail("entry '{}' needs '{}', which a text does not give", entry().name,
           argument.external);
  }
  if (!ids || entry().lengths.size() != 1 || entry().results.empty())
    fail("entry '{}' does not turn tokens into one result", entry().name);
  if (entry().limits[0])
    limit = static_cast<size_t>(*entry().limits[0]);
  auto option = described.options.find("max_tokens");
  if (option != described.options.end() && option->is_number_unsigned())
    limit = std::min(limit, option->get<size_t>());
}

Encoding TextCall::encode(const std::string &text, size_t number) const {
  Encoding encoding = tokenizer.encode(text, limit);
  if (encoding.ids.empty())
    fail("has no tokens");
  if (encoding.cut)
    warn(fmt::format("text {} has {} tokens, the model reads {}: the last {} "
                     "are ignored",
                     number, encoding.ids.size() + encoding.cut, limit,
                     encoding.cut));
  checkTokens(encoding.ids, entry().arguments[*ids].bound,
              "the ids of the tokenizer");
  int64_t knownTypes = types ? entry().arguments[*types].bound : 0;
  for (int32_t type : encoding.types)
    if (knownTypes && type >= knownTypes)
      fail("the tokenizer gives the type {} of a text; the model knows 0 to {}",
           type, knownTypes - 1);
  return encoding;
}

void TextCall::run(std::span<const Encoding> texts) {
  std::vector<int64_t> lengths;
  for (const Encoding &text : texts)
    lengths.push_back(static_cast<int64_t>(text.ids.size()));
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

Encoding TextCall::run(const std::string &text, size_t number) {
  Encoding encoding = encode(text, number);
  run(std::span(&encoding, 1));
  return encoding;
}

void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take,
                 const std::function<void()> &then) {
  size_t number = 0;
  auto takeNext = [&](const std::string &text) {
    ++number;
    try {
      take(text, number);
    } catch (const Error &error) {
      fail("text {}: {}", number, error.what());
    }
    if (then)
      then();
  };
  for (const std::string &text : given)
    takeNext(text);
  if (!given.empty())
    return;
  if (::isatty(STDIN_FILENO))
    std::fputs("Reading a text per line; Ctrl-D ends.\n", stderr);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.ends_with('\r'))
      line.pop_back();
    takeNext(line);
  }
  if (std::cin.bad())
    fail("cannot read standard input");
}

std::vector<double> softmax(std::span<const float> logits) {
  std::vector<double> result(logits.begin(), logits.end());
  double largest = *std::ranges::max_element(result), sum = 0;
  for (double &value : result)
    sum += value = std::exp(value - largest);
  for (double &value : result)
    value /= sum;
  return result;
}

std::vector<size_t> largest(const std::vector<double> &values, size_t count) {
  std::vector<size_t> places(values.size());
  std::iota(places.begin(), places.end(), size_t{0});
  count = std::min(count, places.size());
  auto middle = places.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(places, middle, {}, [&](size_t place) {
    return std::pair(-values[place], place); // ties in order
  });
  places.resize(count);
  return places;
}

} // namespace transfold::runtime
