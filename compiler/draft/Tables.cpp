// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a draft: the keys of the constants in the configuration, and
// the names of the weights in the checkpoint.

#include "compiler/draft/Page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace transfold::draft;

namespace {

/// Writes the tables of a model with one stack of layers.
class Tables : Page {
public:
  explicit Tables(const Reading &reading)
      : Page(reading), ends(reading.ends), layer(reading.layer) {}

  std::string text() {
    line("\nconfig hf {{");
    sizes();
    functions();
    line("}}\nnames hf {{");
    surroundings();
    if (read.stack)
      layers();
    line("}}");
    return body;
  }

private:
  const Ends &ends;
  const Layer &layer;

  //===--------------------------------------------------------------------===//
  // Keys
  //===--------------------------------------------------------------------===//

  /// The key in an older configuration, with all keys at the top level.
  std::string topLevel(const std::string &name,
                       const std::string &otherwise) const {
    std::string key = read.sizes.key(name);
    return key.empty() || key.find('.', 1) != key.npos ? otherwise : key;
  }

  /// An expression for a size of a tensor, for constants that no key states.
  static std::string size(const std::string &prefix, const Module &module,
                          int axis) {
    return fmt::format("shape(\"{}{}.{}\")[{}]", prefix, module.path,
                       module.weightName, axis);
  }

  /// Writes the constants that are sizes.
  void sizes() {
    if (ends.tokens)
      constant("vocab", 0, size("", *ends.tokens, 0));
    else if (read.isDecoder)
      constant("vocab", 0, "1");
    if (ends.projectIn) {
      int axis = ends.projectIn->isStoredAsWritten() ? 1 : 0;
      constant("d", 0, size("", *ends.projectIn, axis));
      constant("d_e", ends.tokens->weight[1], size("", *ends.tokens, 1));
    } else {
      constant("d", 0, ends.tokens ? size("", *ends.tokens, 1) : "1");
    }
    if (read.stack)
      constant("L", read.stack->layers, std::to_string(read.stack->layers));
    if (layer.attention) {
      constant("h", 0, "1");
      if (read.isGrouped)
        line("  h_kv = {} ?? h", read.sizes.key("h_kv"));
      line("  d_k = {}d / h",
           read.sizes.has("d_k") ? read.sizes.key("d_k") + " ?? " : "");
    }
    if (layer.feedForward) {
      const FeedForward &found = *layer.feedForward;
      int axis = found.up->isStoredAsWritten() ? 1 : 0;
      constant("d_ff", found.width(),
               size(read.stack->prefix + "0.", *found.up, axis) +
                   (found.isFused ? " / 2" : ""));
    }
    if (ends.positions)
      constant("n_max", ends.positions->weight[0],
               size("", *ends.positions, 0));
    if (ends.segments)
      constant("types", ends.segments->weight[0], size("", *ends.segments, 0));
  }

  /// Writes the other constants, and whether the logits share a table.
  void functions() {
    if (layer.feedForward)
      constant("act", 0, "\"gelu\"");
    if (read.hasNorms())
      epsilon();
    if (read.hasRotary) {
      line("  θ = either(.rope_parameters.rope_theta, {}) ?? 10000",
           topLevel("θ", ".rope_theta"));
      line("  scaling = either(.rope_parameters, .rope_scaling) ?? {{}}");
    }
    if (read.isPartial)
      line("  k = floor(d_k * (either(.rope_parameters.partial_rotary_factor, "
           "{}) ?? 1))",
           topLevel("part", ".partial_rotary_factor"));
    if (read.hasWindow)
      line("  window = {}   // ?", read.sizes.key("window"));
    if (read.isDecoder && ends.head)
      line("  expect (.tie_word_embeddings ?? false) == false");
    else if (read.mayBeTied())
      line("  tied = .tie_word_embeddings ?? true");
  }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// `W = "q.weight" as […], b = "q.bias"`, without what the module lacks.
  static void place(std::vector<std::string> &entries, const Module *module,
                    const std::string &prefix, const std::string &weight,
                    const std::string &bias, const std::string &as = "") {
    if (!module)
      return;
    std::string entry = fmt::format("{} = \"{}\"{}", weight,
                                    nameIn(prefix, *module, module->weightName),
                                    as.empty() ? "" : " as " + as);
    if (module->hasBias() && !bias.empty())
      entry += fmt::format(", {} = \"{}\"", bias,
                           nameIn(prefix, *module, module->biasName));
    entries.push_back(entry);
  }

  /// Places several weights in one tensor; their order is a guess.
  static void together(std::vector<std::string> &entries, const Module &module,
                       const std::string &prefix, const std::string &weights,
                       const std::string &biases, const std::string &matrix,
                       const std::string &row) {
    place(entries, &module, prefix, weights, "", matrix + "   // ?");
    if (!module.hasBias())
      return;
    Module bias = module;
    bias.weightName = module.biasName;
    place(entries, &bias, prefix, biases, "", row + "   // ?");
  }

  /// Places a projection W[in, out] in the order in which it is stored.
  static void projection(std::vector<std::string> &entries,
                         const Module *module, const std::string &weight,
                         const std::string &bias, const std::string &in,
                         const std::string &out) {
    if (module)
      place(entries, module, "", weight, bias,
            module->isStoredAsWritten() ? fmt::format("[{}, {}]", in, out)
                                        : fmt::format("[{}, {}]", out, in));
  }

  /// Places the weights outside of layers. All matrices of layers are assumed
  /// to be stored in the order of the first one.
  void surroundings() {
    const Module *matrix = layer.feedForward ? layer.feedForward->up
                           : layer.attention ? layer.attention->out
                                             : nullptr;
    if (matrix && matrix->isStoredAsWritten())
      line("  linear as [in, out]");
    std::vector<std::string> entries;
    place(entries, ends.tokens, "", "E", "");
    place(entries, ends.positions, "", "P", "");
    place(entries, ends.segments, "", "S", "");
    projection(entries, ends.projectIn, "W_in", "b_in", "d_e", "d");
    projection(entries, ends.projectOut, "W_out", "b_out", "d", "d_e");
    std::string stored = ends.projectOut ? "[vocab, d_e]" : "[vocab, d]";
    if (ends.head)
      place(entries, ends.head, "", "U", "b_U", stored);
    else if (read.isDecoder)
      entries.push_back("U = \"lm_head.weight\" as " + stored);
    if (ends.firstNorm)
      entries.push_back(fmt::format("norm_0 = \"{}.\"", ends.firstNorm->path));
    if (ends.lastNorm)
      entries.push_back(fmt::format("norm = \"{}.\"", ends.lastNorm->path));
    for (const std::string &entry : entries)
      line("  {}", entry);
  }

  /// Places the stack, and the parts of a layer.
  void layers() {
    line("  layers[l] = \"{}{{l}}.\"", read.stack->prefix);
    std::vector<std::string> parts, branches;
    for (size_t k = 0; k < layer.norms.size(); ++k)
      parts.push_back(
          fmt::format("norm_{} = \"{}.\"", k + 1, layer.norms[k]->path));
    if (layer.attention)
      branches.push_back(fmt::format("attn = \"{}\"", layer.attention->prefix));
    if (layer.feedForward)
      branches.push_back(
          fmt::format("ffn = \"{}\"", layer.feedForward->prefix));
    if (!branches.empty())
      parts.push_back(fmt::format("{}", fmt::join(branches, ", ")));
    section("layer", parts);
    if (layer.attention)
      attention(*layer.attention);
    if (layer.feedForward)
      feedForward(*layer.feedForward);
  }

  /// Writes the section of a block, one entry per line.
  void section(const std::string &block,
               const std::vector<std::string> &entries) {
    if (entries.empty())
      return;
    std::string indent = "\n" + std::string(block.size() + 5, ' ');
    // A brace after a guess would be part of the comment.
    line("  {} {{ {}{}}}", block, fmt::join(entries, indent),
         entries.back().ends_with("// ?") ? indent : " ");
  }

  /// Places the weights of the attention.
  void attention(const Attention &a) {
    std::string keyHeads = read.isGrouped ? "h_kv" : "h";
    std::vector<std::string> entries;
    auto stored = [](const Module *module, const std::string &columns) {
      return module->isStoredAsWritten() ? "[d, " + columns + "]"
                                         : "[" + columns + ", d]";
    };
    if (a.qkv) {
      std::string all =
          read.isGrouped ? "h * d_k + h_kv * d_k + h_kv * d_k" : "3 * h * d_k";
      together(entries, *a.qkv, a.prefix, "W_Q, W_K, W_V", "b_Q, b_K, b_V",
               stored(a.qkv, all), "[" + all + "]");
    } else {
      place(entries, a.q, a.prefix, "W_Q", "b_Q", stored(a.q, "h * d_k"));
      place(entries, a.k, a.prefix, "W_K", "b_K",
            stored(a.k, keyHeads + " * d_k"));
      place(entries, a.v, a.prefix, "W_V", "b_V",
            stored(a.v, keyHeads + " * d_k"));
    }
    place(entries, a.out, a.prefix, "W_O", "b_O");
    if (a.normQ && a.normK) {
      entries.push_back(fmt::format("norm_q = \"{}.\"",
                                    a.normQ->path.substr(a.prefix.size())));
      entries.push_back(fmt::format("norm_k = \"{}.\"",
                                    a.normK->path.substr(a.prefix.size())));
    }
    section("attention", entries);
  }

  /// Places the weights of the feed-forward network.
  void feedForward(const FeedForward &f) {
    std::vector<std::string> entries;
    if (f.isFused) {
      bool isAsWritten = f.up->isStoredAsWritten();
      together(entries, *f.up, f.prefix, "W, V", "b, c",
               isAsWritten ? "[d, 2 * f]" : "[2 * f, d]", "[2 * f]");
    } else {
      place(entries, f.gate, f.prefix, "W", "b");
      place(entries, f.up, f.prefix, f.gate ? "V" : "W_1",
            f.gate ? "c" : "b_1");
    }
    place(entries, f.down, f.prefix, "W_2", "b_2");
    section(read.layer.feedForward->block(), entries);
  }
};

} // namespace

std::string transfold::draft::tablesOf(const Reading &reading) {
  return Tables(reading).text();
}
