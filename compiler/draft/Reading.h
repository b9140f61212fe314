// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is inferred from a checkpoint about its model: the stack of layers, the
// modules around it, and the kind of the model.

#pragma once

#include "compiler/draft/Layer.h"

namespace transfold::draft {

/// The modules outside of the layers; null for those that do not exist.
struct Ends {
  const Module *tokens = nullptr, *positions = nullptr, *segments = nullptr;
  const Module *head = nullptr;
  const Module *firstNorm = nullptr, *lastNorm = nullptr;
  /// If the table of tokens is narrower or wider than the layers: the
  /// projections from its width to that of the layers, and back.
  const Module *projectIn = nullptr, *projectOut = nullptr;

  /// Whether `module` belongs to the sum before the projection.
  bool isBeforeProjection(const Module *module) const {
    return projectIn && module &&
           module->weight.back() == tokens->weight.back();
  }
};

/// The encoder of an encoder-decoder.
struct Encoder {
  const Stack *stack;
  Layer layer;
  Ends ends;
};

/// The parts of a model that were recognized.
class Reading {
public:
  /// `checkpoint` must outlive this.
  explicit Reading(const checkpoint::Checkpoint &checkpoint);
  Reading(const Reading &) = delete;

  Sizes sizes;
  Anatomy anatomy;
  Ends ends;
  const Stack *stack = nullptr; // null: no layers were found
  Layer layer;
  /// If present, everything above describes the decoder.
  std::optional<Encoder> encoder;

  bool isDecoder; // gives logits of the next token
  bool isRms;     // norms without subtracting a mean
  bool isGrouped; // several queries share a key
  bool hasRotary; // rotary positions of queries and keys
  bool isPartial; // rotation of some columns only
  bool hasWindow; // a query attends to the last keys only

  /// Whether the equations need a block for norms.
  bool hasNorms() const {
    return ends.firstNorm || ends.lastNorm || !layer.norms.empty() ||
           (layer.attention && layer.attention->normQ);
  }
  /// Whether the matrix of the logits may be tied to the table of tokens.
  bool mayBeTied() const {
    bool hasItsWidth = !ends.projectIn || ends.projectOut;
    return isDecoder && ends.tokens && !ends.head && hasItsWidth;
  }
  /// The block of std/norm.xf.
  std::string norm() const { return isRms ? "rms_norm" : "layer_norm"; }

private:
  /// Finds the modules outside of the layers whose names do not mention the
  /// other stack.
  Ends endsOf(const char *other) const;
  /// Sets `encoder`, and `stack` to the decoder's, if both stacks exist.
  void findEncoder();
};

/// The text of everything above the tables of names and keys.
std::string equationsOf(const Reading &reading, const std::string &name);
/// The text of `config hf { … }` and `names hf { … }`.
std::string tablesOf(const Reading &reading);
/// The equations of an encoder-decoder.
std::string pairEquationsOf(const Reading &reading, const std::string &name);
/// The tables of an encoder-decoder.
std::string pairTablesOf(const Reading &reading);

} // namespace transfold::draft
