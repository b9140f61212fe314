// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the modules of a layer. Names are compared with those that are
// common in checkpoints; shapes decide where names differ too much. A module
// has one role only, so that each is taken when it is found.

#include "compiler/draft/Layer.h"

#include <algorithm>
#include <set>

using namespace transfold::draft;

namespace {

using Names = std::initializer_list<const char *>;

/// Finds the roles in one stack. The order matters: an attention takes its
/// modules before the feed-forward network looks at those that remain.
class LayerFinder {
public:
  LayerFinder(const Stack &stack, const Sizes &sizes)
      : stack(stack), width(sizes.number("d")), headWidth(sizes.number("d_k")) {
    int64_t heads = sizes.number("h");
    if (!headWidth && heads)
      headWidth = width / heads;
  }

  Layer find(bool hasFinalNorm) {
    Layer layer;
    layer.attention = findAttention(false);
    if (layer.attention)
      layer.cross = findAttention(true);
    layer.feedForward = findFeedForward();
    for (const Module &module : stack.modules)
      if (module.isRow() && isFree(module) && isNorm(module))
        layer.norms.push_back(&module);
    std::sort(layer.norms.begin(), layer.norms.end(),
              [](const Module *a, const Module *b) {
                return std::pair(orderOf(*a), a->path) <
                       std::pair(orderOf(*b), b->path);
              });
    layer.place = placeOf(layer.norms, hasFinalNorm);
    return layer;
  }

private:
  const Stack &stack;
  int64_t width, headWidth; // 0: not in the configuration
  std::set<const Module *> taken;

  bool isFree(const Module &module) const { return !taken.contains(&module); }

  // Marks a module as used, and returns it.
  const Module *take(const Module *module) {
    if (module)
      taken.insert(module);
    return module;
  }

  /// Whether a module belongs to a cross-attention.
  static bool isCross(const Module &module) {
    return mentions(module.path, {"encoder_attn", "cross", "encdec"});
  }

  /// The first unused matrix whose last word is one of `names`, below `prefix`.
  const Module *matrix(Names names, bool ofCross,
                       const std::string &prefix = "") {
    for (const char *name : names)
      for (const Module &module : stack.modules)
        if (module.isMatrix() && isFree(module) && module.lastWord() == name &&
            module.path.starts_with(prefix) && isCross(module) == ofCross)
          return &module;
    return nullptr;
  }

  /// Finds one attention: a matrix for queries, keys and values together, or
  /// three.
  std::optional<Attention> findAttention(bool ofCross) {
    Attention found;
    found.qkv = take(matrix({"query_key_value", "qkv_proj", "c_attn", "Wqkv",
                             "qkv", "in_proj", "attn_qkv"},
                            ofCross));
    if (!found.qkv) {
      found.q = take(
          matrix({"q_proj", "query", "q", "wq", "q_lin", "to_q", "query_proj"},
                 ofCross));
      if (!found.q)
        return std::nullopt;
      // Keys must be beside the queries: another attention has its own keys.
      std::string beside = commonPrefix({found.q});
      found.k =
          take(matrix({"k_proj", "key", "k", "wk", "k_lin", "to_k", "key_proj"},
                      ofCross, beside));
      found.v = take(
          matrix({"v_proj", "value", "v", "wv", "v_lin", "to_v", "value_proj"},
                 ofCross, beside));
      if (!found.k || !found.v)
        return std::nullopt;
    }
    // Without an output to the layers' width it is not a branch of the layer.
    found.out = take(findOutput(found));
    if (!found.out)
      return std::nullopt;
    found.prefix =
        commonPrefix({found.q, found.k, found.v, found.qkv, found.out});
    findNorms(found);
    return found;
  }

  /// Finds the norms of queries and keys. Their sizes determine what they
  /// normalize: the columns of one head, or those of all heads together. Other
  /// norms are left to the reader of the draft.
  void findNorms(Attention &found) {
    const Module *q = nullptr, *k = nullptr;
    for (const Module &module : stack.modules)
      if (module.isRow() && module.path.starts_with(found.prefix)) {
        if (mentions(module.lastWord(), {"q_norm", "q_layernorm", "norm_q"}))
          q = &module;
        if (mentions(module.lastWord(), {"k_norm", "k_layernorm", "norm_k"}))
          k = &module;
      }
    if (!q || !k)
      return;
    bool isOfHeads = q->weight[0] == headWidth && k->weight[0] == headWidth;
    found.normsRows = !isOfHeads && found.q && q->weight[0] == found.q->out() &&
                      k->weight[0] == found.k->out();
    if (!isOfHeads && !found.normsRows)
      return;
    found.normQ = take(q);
    found.normK = take(k);
  }

  /// The matrix with the layers' width as output whose name is nearest to the
  /// queries.
  const Module *findOutput(const Attention &found) {
    const Module *queries = found.q ? found.q : found.qkv;
    const Module *best = nullptr;
    size_t nearest = 0;
    bool isBelow = !commonPrefix({queries}).empty();
    for (const Module &module : stack.modules) {
      bool fits = module.isMatrix() && isFree(module) &&
                  module.out() == queries->in() &&
                  (!found.q || module.in() == found.q->out());
      size_t shared = commonPrefix({queries, &module}).size();
      if (!fits || (isBelow && !shared) || (best && shared <= nearest))
        continue;
      best = &module;
      nearest = shared;
    }
    return best;
  }

  /// Finds the matrices that widen and narrow the rows of the layer.
  std::optional<FeedForward> findFeedForward() {
    FeedForward found;
    std::vector<const Module *> wide;
    for (const Module &module : stack.modules) {
      if (!module.isMatrix() || !isFree(module))
        continue;
      // Experts may be narrower than the model; then names decide.
      bool isUp = module.in() == width &&
                  (module.out() > width ||
                   mentions(module.lastWord(), {"up", "gate", "fc1"}));
      bool isDown =
          module.out() == width &&
          (module.in() > width || mentions(module.lastWord(), {"down", "fc2"}));
      if (isUp)
        wide.push_back(&module);
      if (isDown && !found.down)
        found.down = &module;
    }
    if (!found.down || !findUp(found, wide))
      return std::nullopt;
    for (const Module *module : {found.up, found.gate, found.down})
      take(module);
    found.prefix = commonPrefix({found.up, found.gate, found.down});
    return found;
  }

  /// Finds the matrices whose outputs have the width of the inputs of
  /// `found.down`: one, two of which one is the gate, or one with the rows of
  /// both.
  static bool findUp(FeedForward &found,
                     const std::vector<const Module *> &wide) {
    std::vector<const Module *> ups, fused;
    for (const Module *up : wide)
      if (up != found.down && up->out() == found.down->in())
        ups.push_back(up);
      else if (up != found.down && up->out() == 2 * found.down->in())
        fused.push_back(up);
    if (ups.empty() && fused.size() == 1) {
      found.up = found.gate = fused[0];
      found.isFused = true;
      return true;
    }
    if (ups.empty() || ups.size() > 2)
      return false;
    found.up = ups[0];
    if (ups.size() == 2) {
      bool firstIsGate = mentions(ups[0]->lastWord(), {"gate", "w1", "wi_0"});
      found.gate = ups[firstIsGate ? 0 : 1];
      found.up = ups[firstIsGate ? 1 : 0];
    }
    return true;
  }

  /// Whether a row of the layer's width is the gain of a norm, by its name.
  bool isNorm(const Module &module) const {
    return module.weight[0] == width && mentions(module.path, {"norm", "ln"});
  }

  // The position of a norm in the equations of the layer, guessed from its
  // name.
  static int orderOf(const Module &norm) {
    if (isCross(norm))
      return 2;
    if (mentions(norm.path, {"post_feedforward", "post_mlp", "post_ffw"}))
      return 4;
    if (mentions(norm.path, {"pre_feedforward", "pre_mlp", "ffn", "final",
                             "ln_2", "norm2", "norm_2", "ln2", "after"}))
      return 3;
    if (mentions(norm.path, {"post_attention", "post_self"}))
      return 2;
    if (mentions(norm.path, {"input", "attn", "attention", "ln_1", "norm1",
                             "norm_1", "ln1", "pre_", "before"}))
      return 1;
    return 3;
  }

  /// The place of the norms, from their number and names. Two norms per layer
  /// are ambiguous; a norm after all layers is usual only if norms precede the
  /// branches.
  static NormPlace placeOf(const std::vector<const Module *> &norms,
                           bool hasFinalNorm) {
    auto isBehind = [](const Module *norm) {
      return mentions(norm->path, {"post_attention", "post_feedforward"});
    };
    if (norms.size() == 1)
      return NormPlace::Shared;
    if (norms.size() == 4)
      return NormPlace::Around;
    if (!norms.empty() && std::all_of(norms.begin(), norms.end(), isBehind))
      return NormPlace::OfBranch;
    return hasFinalNorm ? NormPlace::Before : NormPlace::OfSum;
  }
};

} // namespace

Layer transfold::draft::layerOf(const Stack &stack, const Sizes &sizes,
                                bool hasFinalNorm) {
  return LayerFinder(stack, sizes).find(hasFinalNorm);
}
