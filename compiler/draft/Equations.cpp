// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equations of a draft: those that most papers have in common, with the
// parts that this checkpoint has.

#include "compiler/draft/Page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace transfold::draft;

namespace {

/// Writes the equations of a model with one stack of layers.
class Equations : Page {
public:
  explicit Equations(const Reading &reading) : Page(reading) {}

  std::string text(const std::string &name) {
    head(name);
    definitions();
    if (read.layer.attention)
      attention(*read.layer.attention);
    if (read.stack)
      layer();
    entry();
    return body;
  }

private:
  /// The name of the mask: encoders attend to all positions.
  std::string mask() const {
    return !read.isDecoder ? "all" : read.hasWindow ? "visible" : "causal";
  }
  /// The number of heads that keys and values have.
  std::string keyHeads() const { return read.isGrouped ? "h_kv" : "h"; }

  /// Writes the head of the spec: its name, the libraries that it uses, and the
  /// length.
  void head(const std::string &name) {
    title(name);
    if (read.hasNorms())
      line("use {} from \"std/norm.xf\"", read.norm());
    if (read.layer.feedForward)
      line("use {} from \"std/ffn.xf\"", read.layer.feedForward->block());
    rotaryLibrary();
    if (read.layer.attention)
      line("use {} from \"std/mask.xf\"",
           read.hasWindow ? "causal, sliding" : mask());
    line("use \"std/hf.xf\"\nlengths n\n");
  }

  /// The name of the width of a module, before or after the projection.
  std::string width(const Module *module) const {
    return read.ends.isBeforeProjection(module) ? "d_e" : "d";
  }

  /// Declares the weights of a projection W[in, out] with its bias, if there is
  /// one.
  static void projection(std::vector<std::string> &weights,
                         const Module *module, const char *name, const char *in,
                         const char *out) {
    if (module)
      weights.push_back(fmt::format("W_{}[{}, {}]", name, in, out));
    if (module && module->hasBias())
      weights.push_back(fmt::format("b_{}[{}]", name, out));
  }

  /// The matrix of the logits, which may be tied to the table of tokens.
  std::string head() const {
    bool isNarrow = read.ends.projectOut != nullptr;
    std::string own = isNarrow ? "U[d_e, vocab]" : "U[d, vocab]";
    return read.mayBeTied() ? own + " if not tied else E'" : own;
  }

  /// Writes definitions, parts and weights of the model itself.
  void definitions() {
    if (read.isGrouped)
      line("g = h / h_kv");
    if (read.hasRotary)
      line("R(x) = {}   // ?", read.isPartial ? "partial_rope(x, k, θ, scaling)"
                                              : "rope(x, θ, scaling)");
    if (read.hasWindow)
      line("visible = causal if window == none else sliding(window)   // ?");
    std::vector<std::string> parts, weights;
    if (read.stack)
      parts.emplace_back("layers[l < L]: layer");
    if (read.ends.firstNorm)
      parts.push_back(fmt::format("norm_0: {}[{}, ε]", read.norm(),
                                  width(read.ends.firstNorm)));
    if (read.ends.lastNorm)
      parts.push_back(fmt::format("norm: {}[d, ε]", read.norm()));
    if (!parts.empty())
      line("parts   {}", fmt::join(parts, ", "));
    if (read.ends.tokens)
      weights.push_back(fmt::format("E[vocab, {}]", width(read.ends.tokens)));
    if (read.ends.positions)
      weights.push_back(
          fmt::format("P[n_max, {}]", width(read.ends.positions)));
    if (read.ends.segments)
      weights.push_back(fmt::format("S[types, {}]", width(read.ends.segments)));
    projection(weights, read.ends.projectIn, "in", "d_e", "d");
    projection(weights, read.ends.projectOut, "out", "d", "d_e");
    if (read.isDecoder)
      weights.push_back(head());
    if (read.ends.head && read.ends.head->hasBias())
      weights.emplace_back("b_U[vocab]");
    if (!weights.empty())
      line("weights {}", fmt::join(weights, ", "));
  }

  /// R(norm_q(x @ W_Q[i] + b_Q[i])), without the parts that the model lacks.
  static std::string projected(const std::string &letter,
                               const std::string &index, const Module *own,
                               const std::string &norm, bool isTurned) {
    std::string value = fmt::format("x @ W_{}[{}]", letter, index);
    if (own->hasBias())
      value += fmt::format(" + b_{}[{}]", letter, index);
    if (!norm.empty())
      value = fmt::format("{}({})", norm, value);
    return isTurned ? "R(" + value + ")" : value;
  }

  /// Queries and keys whose norms apply to all heads together are computed as
  /// rows, and split into heads after their norms.
  void rowsOfHeads(const Attention &a, std::vector<std::string> &weights) {
    std::string keys = keyHeads();
    weights = {"W_Q[d, h * d_k]", fmt::format("W_K[d, {} * d_k]", keys),
               fmt::format("W_V[{}, d, d_k]", keys)};
    if (a.q->hasBias())
      weights.emplace_back("b_Q[h * d_k]");
    if (a.k->hasBias())
      weights.push_back(fmt::format("b_K[{} * d_k]", keys));
  }

  /// Q[i] = R(q[:, i * d_k +: d_k]) of q = norm_q(x @ W_Q)
  void cutIntoHeads(const Attention &a) {
    auto cut = [&](const char *letter, const char *row, const Module *own,
                   const std::string &index, const std::string &heads) {
      line("  {0}       = norm_{0}(x @ W_{1}{2})   // ?", row, letter,
           own->hasBias() ? fmt::format(" + b_{}", letter) : "");
      std::string piece = fmt::format("{}[:, {} * d_k +: d_k]", row, index);
      line("  {}[{} < {}] = {}", letter, index, heads,
           read.hasRotary ? "R(" + piece + ")" : piece);
    };
    cut("Q", "q", a.q, "i", "h");
    cut("K", "k", a.k, read.isGrouped ? "a" : "i", keyHeads());
  }

  /// Writes the block of the attention. Queries have the index i, grouped keys
  /// and values the index a, and query i attends to the keys i div g.
  void attention(const Attention &a) {
    const Module *q = a.q ? a.q : a.qkv, *k = a.k ? a.k : a.qkv,
                 *v = a.v ? a.v : a.qkv;
    std::vector<std::string> weights = {
        "W_Q[h, d, d_k]", fmt::format("W_K[{}, d, d_k]", keyHeads()),
        fmt::format("W_V[{}, d, d_k]", keyHeads())};
    if (q->hasBias())
      weights.emplace_back("b_Q[h, d_k]");
    if (k->hasBias())
      weights.push_back(fmt::format("b_K[{}, d_k]", keyHeads()));
    if (a.normsRows)
      rowsOfHeads(a, weights);
    if (v->hasBias())
      weights.push_back(fmt::format("b_V[{}, d_k]", keyHeads()));
    if (a.out)
      weights.emplace_back("W_O[h * d_k, d]");
    bool hasOutputBias = a.out && a.out->hasBias();
    if (hasOutputBias)
      weights.emplace_back("b_O[d]");

    line("\nblock attention(x[n, d]) -> [n, d] {{");
    line("  weights {}", fmt::join(weights, ", "));
    bool isNormed = a.normQ && a.normK;
    if (a.normsRows)
      line("  parts   norm_q: {0}[h * d_k, ε], norm_k: {0}[{1} * d_k, ε]",
           read.norm(), keyHeads());
    else if (isNormed)
      line("  parts   norm_q, norm_k: {}[d_k, ε]   // ?", read.norm());
    std::string index = read.isGrouped ? "a" : "i";
    if (a.normsRows) {
      cutIntoHeads(a);
    } else {
      line("  Q[i]    = {}",
           projected("Q", "i", q, isNormed ? "norm_q" : "", read.hasRotary));
      line("  K[{}]    = {}", index,
           projected("K", index, k, isNormed ? "norm_k" : "", read.hasRotary));
    }
    line("  V[{}]    = {}", index, projected("V", index, v, "", false));
    line("  head[i] = softmax(Q[i] @ K[{0}]' / √d_k | {1}) @ V[{0}]   // ?",
         read.isGrouped ? "i div g" : "i", mask());
    line("  return concat(head){}{}", a.out ? " @ W_O" : "",
         hasOutputBias ? " + b_O" : "");
    line("}}");
  }

  /// Writes the block of a layer, by the place of its norms.
  void layer() {
    const Layer &own = read.layer;
    std::vector<std::string> parts, branches;
    for (size_t k = 1; k <= own.norms.size(); ++k)
      parts.push_back(fmt::format("norm_{}", k));
    if (!parts.empty()) // they share one kind
      parts.back() += fmt::format(": {}[d, ε]", read.norm());
    if (own.attention) {
      parts.emplace_back("attn: attention");
      branches.emplace_back("attn");
    }
    if (own.feedForward) {
      parts.push_back(fmt::format("ffn: {}[d, d_ff, act]",
                                  read.layer.feedForward->block()));
      branches.emplace_back("ffn");
    }
    line("\nblock layer(x[n, d]) -> [n, d] {{");
    if (!parts.empty())
      line("  parts {}", fmt::join(parts, ", "));
    if (own.place == NormPlace::Shared)
      sideBySide(branches);
    else
      oneAfterTheOther(branches);
    line("}}");
  }

  /// Branches that read the same normalized input, and are added together.
  void sideBySide(const std::vector<std::string> &branches) {
    std::string sum = "x";
    for (const std::string &branch : branches)
      sum += fmt::format(" + {}(u)", branch);
    line("  u = norm_1(x)");
    line("  return {}   // ?", sum);
  }

  void oneAfterTheOther(const std::vector<std::string> &branches) {
    NormPlace place = read.layer.place;
    size_t norms = 0;
    auto normed = [&](const std::string &value) {
      return norms == read.layer.norms.size()
                 ? value
                 : fmt::format("norm_{}({})", ++norms, value);
    };
    std::string x = "x";
    for (const std::string &branch : branches) {
      bool isBefore = place == NormPlace::Before || place == NormPlace::Around;
      std::string value =
          fmt::format("{}({})", branch, isBefore ? normed(x) : x);
      if (place == NormPlace::OfBranch || place == NormPlace::Around)
        value = normed(value);
      value = fmt::format("{} + {}", x, value);
      if (place == NormPlace::OfSum)
        value = normed(value);
      x = x == "x" ? "y" : "z";
      line("  {} = {}   // ?", x, value);
    }
    line("  return {}", x);
  }

  /// "norm_0(E[tokens] + P[:n])", with the projection at its place.
  std::string embedded() const {
    const Ends &ends = read.ends;
    std::string x = "E[tokens]";
    bool isSum = false;
    auto add = [&](const Module *module, const char *term, bool isBefore) {
      if (!module || isBefore != ends.isBeforeProjection(module))
        return;
      x += std::string(" + ") + term;
      isSum = true;
    };
    auto addAll = [&](bool isBefore) {
      add(ends.positions, "P[:n]", isBefore);
      add(ends.segments, "S[segments]", isBefore);
      if (ends.firstNorm &&
          isBefore == ends.isBeforeProjection(ends.firstNorm)) {
        x = "norm_0(" + x + ")";
        isSum = false;
      }
    };
    if (ends.projectIn) {
      addAll(true);
      x = (isSum ? "(" + x + ")" : x) + " @ W_in";
      x += ends.projectIn->hasBias() ? " + b_in" : "";
    }
    addAll(false);
    return x;
  }

  std::string last() const {
    const Ends &ends = read.ends;
    std::string x = ends.lastNorm ? "norm(x)" : "x";
    if (!ends.projectOut)
      return x;
    x += " @ W_out";
    if (!ends.projectOut->hasBias())
      return x;
    return read.isDecoder ? "(" + x + " + b_out)" : x + " + b_out";
  }

  void entry() {
    const Ends &ends = read.ends;
    line("\nentry {}({}{}) -> {} {{", read.isDecoder ? "decode" : "encode",
         ends.tokens ? "tokens[n]" : "x[n, d]",
         ends.segments ? ", segments[n] = 0" : "",
         read.isDecoder         ? "logits[n, vocab]"
         : read.ends.projectOut ? "hidden[n, d_e]"
                                : "hidden[n, d]");
    if (ends.tokens)
      line("  x = {}   // ?", embedded());
    if (read.stack)
      line("  for l < L {{ x = layers[l](x) }}");
    line("  return {}{}{}   // ?", last(), read.isDecoder ? " @ U" : "",
         ends.head && ends.head->hasBias() ? " + b_U" : "");
    line("}}");
    if (read.isDecoder && ends.tokens)
      line("task generate from decode");
  }
};

} // namespace

std::string transfold::draft::equationsOf(const Reading &reading,
                                          const std::string &name) {
  return Equations(reading).text(name);
}
