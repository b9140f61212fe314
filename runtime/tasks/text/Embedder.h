// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `embed`: texts to vectors. The pooling and the normalisation are
// equations of the model and part of the entry.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_EMBEDDER_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_EMBEDDER_H

#include "runtime/tasks/text/TextCall.h"

#include <vector>

namespace transfold::runtime {

struct Embedded {
  Encoding encoding;
  std::vector<float> vector;
};

/// Texts wait until one call for several is worth it.
class Embedder {
public:
  /// Throws Error where the program does not embed.
  explicit Embedder(Session &session,
                    TextCall::Given given = TextCall::Given::Texts)
      : call(session, "embed", given) {}

  /// What encodes texts.
  const TextCall &texts() const { return call; }
  void add(Encoding encoding);
  /// Enough rows that kernels are at their best; more would only take memory.
  static constexpr size_t enoughTokens = 1024;
  bool isFull() const { return tokens >= enoughTokens; }
  /// The embeddings of all texts that wait, in their order. Throws Error.
  std::vector<Embedded> embed();

private:
  TextCall call;
  std::vector<Encoding> encodings;
  size_t tokens = 0;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_EMBEDDER_H
