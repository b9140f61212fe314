// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a draft for an encoder-decoder.

#include "compiler/draft/Pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace transfold::draft;

namespace {

/// Writes the tables of an encoder-decoder.
class PairTables : PairPage {
public:
  using PairPage::PairPage;

  std::string text() {
    line("\nconfig hf {{");
    const Module *tokens =
        read.ends.tokens ? read.ends.tokens : read.encoder->ends.tokens;
    constant("vocab", 0, tokens ? size(*tokens, 0) : "1");
    constant("d", 0, tokens ? size(*tokens, 1) : "1");
    for (const Side *side : {&encoder, &decoder})
      sizes(*side);
    functions();
    line("}}\nnames hf {{");
    surroundings();
    for (const Side *side : {&encoder, &decoder})
      layer(*side);
    line("}}");
    return body;
  }

private:
  //===--------------------------------------------------------------------===//
  // Keys
  //===--------------------------------------------------------------------===//

  /// An expression for a size of a tensor, for constants that no key states.
  static std::string size(const Module &module, int axis) {
    return fmt::format("shape(\"{}.{}\")[{}]", module.path, module.weightName,
                       axis);
  }

  /// Writes the sizes of one side.
  void sizes(const Side &side) {
    constant(side.count, side.stack->layers,
             std::to_string(side.stack->layers));
    if (!attentionsOf(side).empty()) {
      constant(side.named("h"), 0, "1");
      line("  {} = {}d / {}", side.named("k"),
           read.sizes.has("d_k") ? read.sizes.key("d_k") + " ?? " : "",
           side.named("h"));
    }
    if (side.layer->feedForward) {
      int64_t width = side.layer->feedForward->width();
      constant(side.named("f"), width, std::to_string(width));
    }
    if (side.ends->positions)
      line("  {} = {}", side.named("n_max"), size(*side.ends->positions, 0));
  }

  /// Writes constants that are not sizes, and whether the logits share a table.
  void functions() {
    if (encoder.layer->feedForward || decoder.layer->feedForward)
      constant("act", 0, "\"gelu\"");
    epsilon();
    if (read.hasRotary) {
      line("  θ = either(.rope_parameters.rope_theta, .rope_theta) ?? 10000");
      line("  scaling = either(.rope_parameters, .rope_scaling) ?? {{}}");
    }
    if (read.isPartial)
      line("  k = floor(k_d * (either(.rope_parameters.partial_rotary_factor, "
           ".partial_rotary_factor) ?? 1))   // ?");
    if (read.ends.head)
      line("  expect (.tie_word_embeddings ?? false) == false");
    else if (read.ends.tokens)
      line("  tied = .tie_word_embeddings ?? true");
  }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// Places the weights outside of layers.
  void surroundings() {
    for (const Side *side : {&encoder, &decoder}) {
      const Ends &ends = *side->ends;
      std::string letter = "_" + side->letter;
      if (ends.tokens && (side == &encoder || !sharesTokens(read)))
        matrix("E" + (sharesTokens(read) ? "" : letter), *ends.tokens);
      if (ends.positions)
        matrix("P" + letter, *ends.positions);
      if (ends.firstNorm)
        line("  norm_0{} = \"{}.\"", letter, ends.firstNorm->path);
      if (ends.lastNorm)
        line("  norm{} = \"{}.\"", letter, ends.lastNorm->path);
    }
    if (const Module *head = read.ends.head) {
      line("  U = \"{}.{}\" as [vocab, d]", head->path, head->weightName);
      if (head->hasBias())
        line("  b_U = \"{}.{}\"", head->path, head->biasName);
    } else {
      line("  U = \"lm_head.weight\" as [vocab, d]");
    }
  }

  /// Places a weight that is stored as declared.
  void matrix(const std::string &name, const Module &module) {
    line("  {} = \"{}.{}\"", name, module.path, module.weightName);
  }

  /// Places the layers of a side.
  void layer(const Side &side) {
    line("  {}[l] = \"{}{{l}}.\"", side.part, side.stack->prefix);
    const Layer &own = *side.layer;
    line("  {} {{", side.block);
    for (size_t k = 0; k < own.norms.size(); ++k)
      line("    norm_{} = \"{}.\"", k + 1, own.norms[k]->path);
    for (const auto &[block, attention] : attentionsOf(side))
      line("    {} = \"{}\"", block == "attention_c" ? "cross" : "self",
           attention->prefix);
    if (own.feedForward)
      feedForward(*own.feedForward);
    line("  }}");
    for (const auto &[block, attention] : attentionsOf(side))
      projections(block, *attention, side.named("h"), side.named("k"));
  }

  /// Places a weight, and its bias if it has one.
  void place(const Module *module, const std::string &prefix,
             const std::string &weight, const std::string &bias,
             const std::string &as, const std::string &biasAs = "") {
    if (!module)
      return;
    line("    {} = \"{}\"{}", weight,
         nameIn(prefix, *module, module->weightName), as);
    if (module->hasBias())
      line("    {} = \"{}\"{}", bias, nameIn(prefix, *module, module->biasName),
           biasAs);
  }

  /// Uses exceptions of the part, because the other side may have other names.
  void feedForward(const FeedForward &f) {
    auto as = [](const Module *module, const char *in, const char *out) {
      return module->isStoredAsWritten() ? fmt::format(" as [{}, {}]", in, out)
                                         : fmt::format(" as [{}, {}]", out, in);
    };
    line("    ffn = \"{}\" {{", f.prefix);
    if (f.isFused) {
      place(f.up, f.prefix, "W, V", "b, c", as(f.up, "d", "2 * f") + "   // ?",
            " as [2 * f]   // ?");
    } else {
      if (f.gate)
        place(f.gate, f.prefix, "W", "b", as(f.gate, "d", "f"));
      place(f.up, f.prefix, f.gate ? "V" : "W_1", f.gate ? "c" : "b_1",
            as(f.up, "d", "f"));
    }
    place(f.down, f.prefix, "W_2", "b_2", as(f.down, "f", "d"));
    line("    }}");
  }

  /// Places the weights of an attention; `h` and `k` are the names of its
  /// sizes.
  void projections(const std::string &block, const Attention &a,
                   const std::string &h, const std::string &k) {
    auto as = [](const Module *module, const std::string &columns) {
      return module->isStoredAsWritten() ? " as [d, " + columns + "]"
                                         : " as [" + columns + ", d]";
    };
    std::string all = h + " * " + k;
    line("  {} {{", block);
    if (a.qkv) {
      place(a.qkv, a.prefix, "W_Q, W_K, W_V", "b_Q, b_K, b_V",
            as(a.qkv, "3 * " + all) + "   // ?",
            " as [3 * " + all + "]   // ?");
    } else {
      place(a.q, a.prefix, "W_Q", "b_Q", as(a.q, all));
      place(a.k, a.prefix, "W_K", "b_K", as(a.k, all));
      place(a.v, a.prefix, "W_V", "b_V", as(a.v, all));
    }
    if (a.out)
      place(a.out, a.prefix, "W_O", "b_O",
            a.out->isStoredAsWritten() ? " as [" + all + ", d]"
                                       : " as [d, " + all + "]");
    line("  }}");
  }
};

} // namespace

std::string transfold::draft::pairTablesOf(const Reading &reading) {
  return PairTables(reading).text();
}
