// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `embed`: texts to vectors. The pooling and the normalisation are
// equations of the model and part of the entry.

#include "runtime/commands/Commands.h"
#include "runtime/commands/TextCall.h"
#include "runtime/files/OutputFile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unistd.h>

namespace transfold::runtime {

namespace {

struct Embedding {
  std::string text;
  std::vector<int32_t> ids;
  std::vector<float> vector;
};

/// Texts wait until one call for several is worth it.
class Embedder {
public:
  explicit Embedder(Session &session) : call(session, "embed") {}

  void add(const std::string &text, size_t number) {
    encodings.push_back(call.encode(text, number));
    tokens += encodings.back().ids.size();
    texts.push_back(text);
  }

  /// Enough rows that kernels are at their best; more would only take memory.
  bool isFull() const { return tokens >= 1024; }

  /// The embeddings of all texts that wait, in their order.
  std::vector<Embedding> embed() {
    std::vector<Embedding> embeddings;
    if (!texts.empty())
      call.run(encodings);
    for (size_t i = 0; i < texts.size(); ++i) {
      std::span<const float> vector = call.result(0, i);
      embeddings.push_back({std::move(texts[i]),
                            std::move(encodings[i].ids),
                            {vector.begin(), vector.end()}});
    }
    texts.clear();
    encodings.clear();
    tokens = 0;
    return embeddings;
  }

private:
  TextCall call;
  std::vector<std::string> texts;
  std::vector<Encoding> encodings;
  size_t tokens = 0;
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
  Embedder embedder(session);
  std::vector<Embedding> kept;
  auto finish = [&] {
    for (Embedding &embedding : embedder.embed()) {
      if (options.similar)
        kept.push_back(std::move(embedding));
      else
        options.json ? printJson(embedding) : printPlain(embedding);
    }
  };
  // Who types a line wants its answer.
  bool interactive = options.texts.empty() && ::isatty(STDIN_FILENO);
  forEachText(
      options.texts,
      [&](const std::string &text, size_t number) {
        embedder.add(text, number);
      },
      [&] {
        if (embedder.isFull() || interactive)
          finish();
      });
  finish();
  if (options.similar)
    printSimilar(kept);
}

} // namespace transfold::runtime
