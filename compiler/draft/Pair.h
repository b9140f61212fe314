// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two sides of an encoder-decoder, for the equations and the tables of its
// draft: names of the decoder end in _d, those of the encoder in _e.

#pragma once

#include "compiler/draft/Page.h"

namespace transfold::draft {

/// One side of an encoder-decoder.
struct Side {
  std::string block;  // "encoder_layer"
  std::string part;   // "encoder"
  std::string letter; // suffix of its constants: "e"
  std::string count;  // name of the number of its layers
  const Stack *stack;
  const Layer *layer;
  const Ends *ends;

  /// A constant of this side: "h_e".
  std::string named(const std::string &name) const {
    return name + "_" + letter;
  }
};

/// The encoder's side; there must be an encoder.
inline Side encoderOf(const Reading &reading) {
  const Encoder &own = *reading.encoder;
  return {"encoder_layer", "encoder",  "e",      "N",
          own.stack,       &own.layer, &own.ends};
}

/// The decoder's side.
inline Side decoderOf(const Reading &reading) {
  return {"decoder_layer", "decoder",      "d",          "M",
          reading.stack,   &reading.layer, &reading.ends};
}

/// A part of the draft of an encoder-decoder.
class PairPage : public Page {
public:
  explicit PairPage(const Reading &reading)
      : Page(reading), encoder(encoderOf(reading)),
        decoder(decoderOf(reading)) {}

protected:
  const Side encoder, decoder;
};

/// The attentions of a side, with the names of their blocks.
inline std::vector<std::pair<std::string, const Attention *>>
attentionsOf(const Side &side) {
  std::vector<std::pair<std::string, const Attention *>> found;
  if (side.layer->attention)
    found.emplace_back(side.named("attention"), &*side.layer->attention);
  if (side.layer->cross && side.letter == "d")
    found.emplace_back("attention_c", &*side.layer->cross);
  return found;
}

/// Whether both sides read tokens from the same table.
inline bool sharesTokens(const Reading &reading) {
  return reading.ends.tokens &&
         reading.ends.tokens == reading.encoder->ends.tokens;
}

} // namespace transfold::draft
