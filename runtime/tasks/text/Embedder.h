// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `embed`: texts to vectors. Pooling and normalization are equations
// of the model and part of the entry.

#pragma once

#include "runtime/tasks/text/TextCall.h"

#include <vector>

namespace transfold::runtime::inline tasks {

/// A text's tokens and its embedding.
struct Embedded {
  Encoding encoding;
  std::vector<float> vector;
};

/// Collects texts until one call for several of them is efficient.
class Embedder {
public:
  /// Throws Error if the program does not embed texts.
  explicit Embedder(Session &session,
                    TextCall::Given given = TextCall::Given::Texts)
      : call(session, "embed", given) {}

  /// Encodes texts.
  const TextCall &texts() const { return call; }
  /// Adds a text to the next call.
  void add(Encoding encoding);
  /// Number of tokens at which kernels reach their best efficiency; more would
  /// only occupy memory.
  static constexpr size_t enoughTokens = 1024;
  /// Whether embed() should be called before more texts are added.
  bool isFull() const { return tokens >= enoughTokens; }
  /// The embeddings of all collected texts, in order. Throws Error.
  std::vector<Embedded> embed();

private:
  TextCall call;
  std::vector<Encoding> encodings;
  size_t tokens = 0;
};

} // namespace transfold::runtime::inline tasks
