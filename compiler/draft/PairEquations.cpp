// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equations of a draft for an encoder-decoder.

#include "compiler/draft/Pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

using namespace transfold::draft;

namespace {

/// Writes the equations of an encoder-decoder.
class PairEquations : PairPage {
public:
  using PairPage::PairPage;

  std::string text(const std::string &name) {
    head(name);
    declarations();
    for (const Side *side : {&encoder, &decoder}) {
      for (const auto &[block, own] : attentionsOf(*side))
        attention(block, *own, side->letter);
      layer(*side);
    }
    encode();
    decode();
    return body;
  }

private:
  /// Writes the head of the spec. Lengths: n and m in attentions, t of the
  /// decoder.
  void head(const std::string &name) {
    title(name);
    std::set<std::string> blocks;
    for (const Side *side : {&encoder, &decoder})
      if (side->layer->feedForward)
        blocks.insert(side->layer->feedForward->block());
    line("use {} from \"std/norm.xf\"", read.norm());
    if (!blocks.empty())
      line("use {} from \"std/ffn.xf\"", fmt::join(blocks, ", "));
    rotaryLibrary();
    line("use all, causal from \"std/mask.xf\"");
    line("use \"std/hf.xf\"\nlengths n, m, t\n");
  }

  /// Writes definitions, parts and weights of both sides.
  void declarations() {
    if (read.hasRotary)
      line("R(x) = {}   // ?", read.isPartial ? "partial_rope(x, k, θ, scaling)"
                                              : "rope(x, θ, scaling)");
    std::vector<std::string> parts, weights;
    for (const Side *side : {&encoder, &decoder}) {
      parts.push_back(
          fmt::format("{}[l < {}]: {}", side->part, side->count, side->block));
      const Ends &ends = *side->ends;
      if (ends.firstNorm)
        parts.push_back(
            fmt::format("{}: {}[d, ε]", side->named("norm_0"), read.norm()));
      if (ends.lastNorm)
        parts.push_back(
            fmt::format("{}: {}[d, ε]", side->named("norm"), read.norm()));
      if (ends.tokens && (side == &encoder || !sharesTokens(read)))
        weights.push_back(table(*side) + "[vocab, d]");
      if (ends.positions)
        weights.push_back(
            fmt::format("{}[{}, d]", side->named("P"), side->named("n_max")));
    }
    line("parts   {}", fmt::join(parts, ", "));
    weights.push_back(read.ends.head || !read.ends.tokens
                          ? "U[d, vocab]"
                          : "U[d, vocab] if not tied else " + table(decoder) +
                                "'");
    if (read.ends.head && read.ends.head->hasBias())
      weights.emplace_back("b_U[vocab]");
    line("weights {}", fmt::join(weights, ", "));
  }

  /// The name of a side's table of tokens.
  std::string table(const Side &side) const {
    return sharesTokens(read) ? "E" : side.named("E");
  }

  /// Writes the block of an attention, which gets its keys and its mask as
  /// arguments: the equations are the same for both sides and for
  /// cross-attention.
  void attention(const std::string &block, const Attention &a,
                 const std::string &letter) {
    std::string h = "h_" + letter, k = "k_" + letter;
    bool isTurned = read.hasRotary && block != "attention_c";
    std::vector<std::string> weights;
    std::string rows;
    auto project = [&](const char *name, const char *from, const Module *own,
                       bool turns) {
      weights.push_back(fmt::format("W_{}[{}, d, {}]", name, h, k));
      std::string value = fmt::format("{} @ W_{}[i]", from, name);
      if (own->hasBias()) {
        weights.push_back(fmt::format("b_{}[{}, {}]", name, h, k));
        value += fmt::format(" + b_{}[i]", name);
      }
      rows += fmt::format("  {}[i]    = {}\n", name,
                          turns ? "R(" + value + ")" : value);
    };
    project("Q", "x", a.q ? a.q : a.qkv, isTurned);
    project("K", "y", a.k ? a.k : a.qkv, isTurned);
    project("V", "y", a.v ? a.v : a.qkv, false);
    if (a.out)
      weights.push_back(fmt::format("W_O[{} * {}, d]", h, k));
    bool hasBias = a.out && a.out->hasBias();
    if (hasBias)
      weights.emplace_back("b_O[d]");
    line("\nblock {}(x[n, d], y[m, d], mask) -> [n, d] {{", block);
    line("  weights {}\n{}  head[i] = softmax(Q[i] @ K[i]' / √{} | mask) @ "
         "V[i]   // ?",
         fmt::join(weights, ", "), rows, k);
    line("  return concat(head){}{}\n}}", a.out ? " @ W_O" : "",
         hasBias ? " + b_O" : "");
  }

  /// Writes the block of a side's layer.
  void layer(const Side &side) {
    bool isDecoder = &side == &decoder;
    std::vector<std::string> parts;
    const Layer &own = *side.layer;
    for (size_t k = 1; k <= own.norms.size(); ++k)
      parts.push_back(fmt::format("norm_{}", k));
    if (!parts.empty())
      parts.back() += fmt::format(": {}[d, ε]", read.norm());
    std::vector<std::string> branches;
    for (const auto &[block, unused] : attentionsOf(side)) {
      bool isCross = block == "attention_c";
      parts.push_back((isCross ? "cross: " : "self: ") + block);
      branches.emplace_back(isCross     ? "cross({}, memory, all)"
                            : isDecoder ? "self({0}, {0}, causal)"
                                        : "self({0}, {0}, all)");
    }
    if (own.feedForward) {
      parts.push_back(fmt::format("ffn: {}[d, {}, act]",
                                  side.layer->feedForward->block(),
                                  side.named("f")));
      branches.emplace_back("ffn({})");
    }
    line("\nblock {}(x[{}, d]{}) -> [{}, d] {{", side.block,
         isDecoder ? "t" : "n", isDecoder ? ", memory[n, d]" : "",
         isDecoder ? "t" : "n");
    if (!parts.empty())
      line("  parts {}", fmt::join(parts, ", "));
    std::string x = "x";
    for (size_t k = 0; k < branches.size(); ++k)
      x = branch(branches[k], x, k < own.norms.size() ? k + 1 : 0, own.place);
    line("  return {}\n}}", x);
  }

  /// y = x + f(norm(x)), or norm(x + f(x)); `norm` is the number of the norm, 0
  /// for none.
  std::string branch(const std::string &call, const std::string &x, size_t norm,
                     NormPlace place) {
    bool isBehind = place == NormPlace::OfSum;
    if (norm && !isBehind)
      line("  u = norm_{}({})", norm, x);
    std::string value =
        x + " + " +
        fmt::format(fmt::runtime(call), norm && !isBehind ? "u" : x);
    std::string result = x == "x" ? "y" : x == "y" ? "z" : "w";
    line("  {} = {}   // ?", result,
         norm && isBehind ? fmt::format("norm_{}({})", norm, value) : value);
    return result;
  }

  /// The rows of tokens, with positions if the side has a table of them.
  std::string embedded(const Side &side, const char *length) const {
    std::string x = table(side) + "[tokens]";
    if (side.ends->positions)
      x += fmt::format(" + {}[:{}]", side.named("P"), length);
    return side.ends->firstNorm ? side.named("norm_0") + "(" + x + ")" : x;
  }

  /// The result of a side's layers, normalized if it has a norm for that.
  std::string last(const Side &side) const {
    return side.ends->lastNorm ? side.named("norm") + "(x)" : "x";
  }

  /// Writes the entry of the encoder. Without a table of tokens it begins with
  /// the rows that an unknown front end computes.
  void encode() {
    line("\nentry encode({}) -> memory[n, d] {{",
         encoder.ends->tokens ? "tokens[n]" : "front[n, d]");
    line("  x = {}   // ?",
         encoder.ends->tokens ? embedded(encoder, "n") : "front");
    line("  for l < N {{ x = encoder[l](x) }}\n  return {}   // ?\n}}",
         last(encoder));
  }

  /// Writes the entry of the decoder, and the task.
  void decode() {
    line("entry decode({}, memory[n, d]) -> logits[t, vocab] {{",
         decoder.ends->tokens ? "tokens[t]" : "front[t, d]");
    line("  x = {}   // ?",
         decoder.ends->tokens ? embedded(decoder, "t") : "front");
    line("  for l < M {{ x = decoder[l](x, memory) }}");
    line("  return {} @ U{}   // ?\n}}", last(decoder),
         read.ends.head && read.ends.head->hasBias() ? " + b_U" : "");
    if (!decoder.ends->tokens)
      return;
    if (encoder.ends->tokens)
      line("task translate from encode, decode   // ?");
    line("interface {{ decode.tokens = \"decoder_input_ids\" }}");
  }
};

} // namespace

std::string transfold::draft::pairEquationsOf(const Reading &reading,
                                              const std::string &name) {
  return PairEquations(reading).text(name);
}
