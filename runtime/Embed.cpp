// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `embed`: texts to vectors. The pooling and the normalisation are
// equations of the model and part of the entry.

#include "runtime/Call.h"
#include "runtime/Commands.h"
#include "runtime/Messages.h"
#include "runtime/OutputFile.h"
#include "runtime/Tokenizer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <unistd.h>
#include <utility>

namespace transfold::runtime {

namespace {

struct Embedding {
  std::string text;
  std::vector<int32_t> ids;
  std::vector<float> vector;
};

class Embedder {
public:
  Embedder(Session &session, const Task &task)
      : tokenizer(session.tokenizerJson()),
        call(session, session.metadata().entry(task.entries.at(0))) {
    const Entry &entry = call.entry();
    for (size_t i = 0; i < entry.arguments.size(); ++i) {
      const Argument &argument = entry.arguments[i];
      if (argument.external == "input_ids")
        tokens = i;
      else if (argument.external == "token_type_ids")
        types = i;
      else if (!argument.defaultValue)
        fail("entry '{}' needs '{}', which a text does not give", entry.name,
             argument.external);
    }
    if (!tokens || entry.lengths.size() != 1 || entry.results.empty())
      fail("entry '{}' does not turn tokens into one result", entry.name);
    if (entry.limits[0])
      limit = static_cast<size_t>(*entry.limits[0]);
    auto option = task.options.find("max_tokens");
    if (option != task.options.end() && option->is_number_unsigned())
      limit = std::min(limit, option->get<size_t>());
  }

  /// Takes a text; `number` counts from 1 and is for messages. Texts wait until
  /// `isFull`: one call for several costs less than one for each.
  void add(std::string text, size_t number) {
    Encoding encoding;
    try {
      encoding = tokenizer.encode(text, limit);
      checkIds(encoding.ids, *tokens);
    } catch (const Error &error) {
      fail("text {}: {}", number, error.what());
    }
    if (encoding.cut)
      warn(fmt::format("text {} has {} tokens, the model reads {}: the last {} "
                       "are ignored",
                       number, encoding.ids.size() + encoding.cut, limit,
                       encoding.cut));
    waitingTokens += encoding.ids.size();
    waiting.push_back({std::move(text), std::move(encoding.ids), {}});
    waitingTypes.push_back(std::move(encoding.types));
  }

  /// Enough rows that kernels are at their best; more would only take memory.
  bool isFull() const { return waitingTokens >= 1024; }

  /// The embeddings of all texts that wait, in their order.
  std::vector<Embedding> embed() {
    if (waiting.empty())
      return {};
    std::vector<int64_t> lengths;
    for (const Embedding &text : waiting)
      lengths.push_back(static_cast<int64_t>(text.ids.size()));
    call.setSequences(lengths, waiting.size());
    for (size_t i = 0; i < call.entry().arguments.size(); ++i)
      if (i != tokens && i != types)
        call.fill(i);
    for (size_t text = 0; text < waiting.size(); ++text) {
      std::ranges::copy(waiting[text].ids,
                        call.integers(*tokens, text).begin());
      if (types)
        std::ranges::copy(waitingTypes[text],
                          call.integers(*types, text).begin());
    }
    call.run();
    for (size_t text = 0; text < waiting.size(); ++text) {
      std::span<const float> vector = call.result(0, text);
      waiting[text].vector.assign(vector.begin(), vector.end());
    }
    waitingTokens = 0;
    waitingTypes.clear();
    return std::exchange(waiting, {});
  }

private:
  Tokenizer tokenizer;
  Call call;
  std::optional<size_t> tokens, types;
  size_t limit = Tokenizer::unlimited;

  std::vector<Embedding> waiting; // their vectors are yet to come
  std::vector<std::vector<int32_t>> waitingTypes;
  size_t waitingTokens = 0;

  void checkIds(const std::vector<int32_t> &ids, size_t argument) const {
    int64_t bound = call.entry().arguments[argument].bound;
    for (int32_t id : ids)
      if (bound && id >= bound)
        fail("the tokenizer gives the id {}, the model knows 0 to {}", id,
             bound - 1);
  }
};

void printPlain(const Embedding &embedding) {
  print(fmt::format("{}\n", fmt::join(embedding.vector, " ")));
}

void printJson(const Embedding &embedding) {
  print(fmt::format("{{\"text\": {}, \"ids\": [{}], \"embedding\": [{}]}}\n",
                    nlohmann::json(embedding.text).dump(),
                    fmt::join(embedding.ids, ", "),
                    fmt::join(embedding.vector, ", ")));
}

double cosine(const std::vector<float> &left, const std::vector<float> &right) {
  auto dot = [](const std::vector<float> &a, const std::vector<float> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  double norms = std::sqrt(dot(left, left) * dot(right, right));
  return norms > 0 ? dot(left, right) / norms : 0;
}

/// Each text, and below it the texts most like it.
void printSimilar(const std::vector<Embedding> &embeddings) {
  constexpr size_t neighbours = 3;
  for (const Embedding &embedding : embeddings) {
    std::vector<std::pair<double, const Embedding *>> others;
    for (const Embedding &other : embeddings)
      if (&other != &embedding)
        others.emplace_back(cosine(embedding.vector, other.vector), &other);
    std::ranges::sort(others, {}, [](const auto &other) {
      return std::pair(-other.first, other.second); // ties in given order
    });
    others.resize(std::min(others.size(), neighbours));
    print(embedding.text + "\n");
    for (const auto &[score, other] : others)
      print(fmt::format("  {:6.3f}  {}\n", score, other->text));
  }
}

} // namespace

void embed(Session &session, const EmbedOptions &options) {
  const Task *task = session.metadata().task("embed");
  if (!task || task->entries.empty())
    fail("this program has no task 'embed'");
  if (session.tokenizerJson().empty())
    fail("this program has no tokenizer: its model had no tokenizer.json; "
         "`eval` takes ids");
  session.weights(); // the system reads them while the tokenizer is made
  Embedder embedder(session, *task);

  std::vector<Embedding> kept;
  auto finish = [&] {
    for (Embedding &embedding : embedder.embed()) {
      if (options.similar)
        kept.push_back(std::move(embedding));
      else
        options.json ? printJson(embedding) : printPlain(embedding);
    }
  };
  size_t number = 0;
  bool interactive = options.texts.empty() && ::isatty(STDIN_FILENO);
  auto take = [&](std::string text) {
    embedder.add(std::move(text), ++number);
    if (embedder.isFull() || interactive)
      finish();
  };
  if (!options.texts.empty()) {
    for (const std::string &text : options.texts)
      take(text);
  } else {
    if (interactive)
      std::fputs("Reading a text per line; Ctrl-D ends.\n", stderr);
    std::string line;
    while (std::getline(std::cin, line)) {
      if (line.ends_with('\r'))
        line.pop_back();
      take(std::move(line));
    }
    if (std::cin.bad())
      fail("cannot read standard input");
  }
  finish();
  if (options.similar)
    printSimilar(kept);
}

} // namespace transfold::runtime
