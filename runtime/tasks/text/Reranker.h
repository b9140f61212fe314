// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders documents by their relevance to a query, with a model that reads a
// query and a document together and returns one score (a cross-encoder).

#pragma once

#include "runtime/tasks/text/Labels.h"
#include "runtime/tasks/text/TextCall.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// The score of a document by the logit that the model returns: the logit, or
/// its sigmoid if the model's files say so.
double relevanceOf(const Labels &labels, std::span<const float> logits);

/// Scores documents.
class Reranker {
public:
  /// Throws Error if the program does not classify texts with a single score,
  /// or if its tokenizer does not combine two texts.
  explicit Reranker(Session &session);

  struct Scored {
    double score;
    size_t cut; // number of tokens that were dropped
  };
  /// The score of each document. `look` is called regularly, and may throw.
  /// Throws Error, which names the document by its number from `first` on.
  std::vector<Scored> score(const std::string &query,
                            std::span<const std::string> documents,
                            size_t first = 1,
                            const std::function<void()> &look = {});

  struct Ranked {
    size_t document; // index among the documents
    double score;
    size_t cut;
  };
  /// All documents, the most relevant first, those with equal scores in the
  /// order given. Throws Error.
  std::vector<Ranked> run(const std::string &query,
                          std::span<const std::string> documents);

private:
  TextCall call;
  Labels names;
};

} // namespace transfold::runtime::inline tasks
