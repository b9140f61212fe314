// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `embed`: texts to vectors.

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/tasks/text/Embedder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unistd.h>

namespace transfold::runtime::inline commands {

namespace {

/// A text with its tokens and its vector.
struct Embedding {
  std::string text;
  std::vector<int32_t> ids;
  std::vector<float> vector;
};

/// Prints the elements of the vector on one line.
void printPlain(const Embedding &embedding) {
  print(fmt::format("{}\n", fmt::join(embedding.vector, " ")));
}

void printJson(const Embedding &embedding) {
  print(fmt::format("{{\"text\": {}, \"ids\": [{}], \"embedding\": [{}]}}\n",
                    nlohmann::ordered_json(embedding.text).dump(),
                    fmt::join(embedding.ids, ", "),
                    fmt::join(embedding.vector, ", ")));
}

/// The cosine of the angle between two vectors; 0 if one of them is zero.
double cosine(const std::vector<float> &left, const std::vector<float> &right) {
  auto dot = [](const std::vector<float> &a, const std::vector<float> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  double norms = std::sqrt(dot(left, left) * dot(right, right));
  return norms > 0 ? dot(left, right) / norms : 0;
}

/// Prints each text, followed by the texts most similar to it.
void printSimilar(const std::vector<Embedding> &embeddings) {
  constexpr size_t neighbours = 3;
  for (const Embedding &embedding : embeddings) {
    std::vector<std::pair<double, const Embedding *>> others;
    for (const Embedding &other : embeddings)
      if (&other != &embedding)
        others.emplace_back(cosine(embedding.vector, other.vector), &other);
    std::ranges::sort(others, {}, [](const auto &other) {
      return std::pair(-other.first,
                       other.second); // equal scores: in the given order
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
  std::vector<std::string> waiting; // texts in the embedder
  std::vector<Embedding> kept;
  auto finish = [&] {
    size_t next = 0;
    for (Embedded &embedded : embedder.embed()) {
      Embedding embedding{std::move(waiting[next++]),
                          std::move(embedded.encoding.ids),
                          std::move(embedded.vector)};
      if (options.similar)
        kept.push_back(std::move(embedding));
      else
        options.json ? printJson(embedding) : printPlain(embedding);
    }
    waiting.clear();
  };
  // On a terminal, each line is answered at once.
  bool interactive = options.texts.empty() && ::isatty(STDIN_FILENO);
  forEachText(
      options.texts,
      [&](const std::string &text, size_t number) {
        Encoding encoding = embedder.texts().encode(text);
        warnIfCut(encoding, number);
        embedder.add(std::move(encoding));
        waiting.push_back(text);
      },
      [&] {
        if (embedder.isFull() || interactive)
          finish();
      });
  finish();
  if (options.similar)
    printSimilar(kept);
}

} // namespace transfold::runtime::inline commands
