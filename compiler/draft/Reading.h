// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a checkpoint says of its model: the stack of layers, what surrounds it,
// and what kind of model that makes.

#ifndef TRANSFOLD_COMPILER_DRAFT_READING_H
#define TRANSFOLD_COMPILER_DRAFT_READING_H

#include "compiler/draft/Layer.h"

namespace transfold::draft {

/// What lies outside of the layers; null where there is none.
struct Ends {
  const Module *tokens = nullptr, *positions = nullptr, *segments = nullptr;
  const Module *head = nullptr;
  const Module *firstNorm = nullptr, *lastNorm = nullptr;
  /// Where the table has rows of another width than the layers: from there to
  /// the layers, and back.
  const Module *projectIn = nullptr, *projectOut = nullptr;

  /// Whether `module` belongs to the sum before the projection.
  bool isBeforeProjection(const Module *module) const {
    return projectIn && module &&
           module->weight.back() == tokens->weight.back();
  }
};

/// The stack that reads the text of an encoder-decoder.
struct Encoder {
  const Stack *stack;
  Layer layer;
  Ends ends;
};

class Reading {
public:
  explicit Reading(const checkpoint::Checkpoint &checkpoint);
  Reading(const Reading &) = delete;

  Sizes sizes;
  Anatomy anatomy;
  Ends ends;
  const Stack *stack = nullptr; // null: no layers were found
  Layer layer;
  /// Where there is one, everything above is of the decoder.
  std::optional<Encoder> encoder;

  bool isDecoder; // gives logits of the next token
  bool isRms;     // norms without a mean
  bool isGrouped; // several queries share a key
  bool hasRotary; // positions turn queries and keys
  bool isPartial; // some columns only
  bool hasWindow; // a query sees the last keys only

  bool hasNorms() const {
    return ends.firstNorm || ends.lastNorm || !layer.norms.empty() ||
           (layer.attention && layer.attention->normQ);
  }
  /// Whether the matrix of the logits may be the table of tokens.
  bool mayBeTied() const {
    bool hasItsWidth = !ends.projectIn || ends.projectOut;
    return isDecoder && ends.tokens && !ends.head && hasItsWidth;
  }
  std::string norm() const { return isRms ? "rms_norm" : "layer_norm"; }

private:
  /// Of what lies outside of the layers and is not called after the other
  /// stack.
  Ends endsOf(const char *other) const;
  void findEncoder();
};

/// Everything above the tables of names and keys.
std::string equationsOf(const Reading &reading, const std::string &name);
/// `config hf { … }` and `names hf { … }`.
std::string tablesOf(const Reading &reading);
/// Both, where there is an encoder.
std::string pairEquationsOf(const Reading &reading, const std::string &name);
std::string pairTablesOf(const Reading &reading);

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_READING_H
