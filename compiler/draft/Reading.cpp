// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the structure of a model. All results are guesses: what is not
// recognized is left out, and appears in the list at the end of the draft.

#include "compiler/draft/Reading.h"

using namespace transfold;
using namespace transfold::draft;

Reading::Reading(const checkpoint::Checkpoint &checkpoint)
    : sizes(checkpoint.config()), anatomy(anatomyOf(checkpoint.tensors())) {
  findEncoder();
  ends = endsOf(encoder ? "encoder" : nullptr);
  if (encoder && encoder->ends.projectIn)
    encoder->ends = {.lastNorm = encoder->ends.lastNorm};
  if (encoder && ends.projectIn) // such tables are left to the reader
    ends = {.lastNorm = ends.lastNorm};
  if (!stack && !anatomy.stacks.empty())
    stack = &anatomy.stacks[0];
  if (stack)
    layer = layerOf(*stack, sizes, ends.lastNorm != nullptr);
  const nlohmann::json &config = checkpoint.config();
  auto architectures = config.find("architectures");
  isDecoder =
      ends.head || (architectures != config.end() &&
                    mentions(architectures->dump(), {"causallm", "lmhead"}));
  const Module *norm = ends.lastNorm         ? ends.lastNorm
                       : layer.norms.empty() ? ends.firstNorm
                                             : layer.norms[0];
  isRms = sizes.has("rms") || (norm && !norm->hasBias() && !sizes.has("ε"));
  hasRotary = layer.attention && (sizes.has("θ") || sizes.has("part") ||
                                  config.contains("rope_parameters"));
  isPartial = hasRotary && sizes.has("part");
  isGrouped = layer.attention && sizes.has("h_kv");
  hasWindow = layer.attention && isDecoder && sizes.has("window");
}

/// Two stacks that are named encoder and decoder; of two stacks with other
/// names, it is unknown which one is read first.
void Reading::findEncoder() {
  const Stack *first = nullptr;
  for (const Stack &candidate : anatomy.stacks) {
    bool isEncoder = mentions(candidate.prefix, {"encoder."});
    bool isDecoder = mentions(candidate.prefix, {"decoder."});
    if (isEncoder && !isDecoder && !first)
      first = &candidate;
    if (isDecoder && !isEncoder && !stack)
      stack = &candidate;
  }
  if (!first || !stack) {
    stack = nullptr;
    return;
  }
  Ends own = endsOf("decoder");
  encoder =
      Encoder{first, layerOf(*first, sizes, own.lastNorm != nullptr), own};
}

/// Finds the table of tokens and the head. The table has the layers' width, or
/// another one; in the latter case there is a matrix between the two. Returns
/// the width of the table.
static int64_t findTokens(const std::vector<const Module *> &rest,
                          const Sizes &sizes, Ends &ends) {
  int64_t vocabulary = sizes.number("vocab"), width = sizes.number("d");
  auto isHead = [](const Module &module) {
    return mentions(module.path, {"head", "embed_out", "output"});
  };
  const Module *narrow = nullptr;
  for (const Module *candidate : rest) {
    const Module &module = *candidate;
    if (!module.isMatrix() || module.weight[0] != vocabulary)
      continue;
    if (module.weight[1] == width)
      (isHead(module) ? ends.head : ends.tokens) = &module;
    else if (!isHead(module) && !narrow)
      narrow = &module;
  }
  if (ends.tokens || !narrow)
    return width;
  int64_t own = narrow->weight[1];
  for (const Module *candidate : rest) {
    const Module &module = *candidate;
    if (!module.isMatrix() || &module == narrow ||
        !mentions(module.path, {"project", "mapping", "embed"}))
      continue;
    if (module.in() == own && module.out() == width)
      ends.projectIn = &module;
    if (module.in() == width && module.out() == own)
      ends.projectOut = &module;
  }
  if (!ends.projectIn) {
    ends.projectOut = nullptr;
    return width;
  }
  ends.tokens = narrow;
  if (!ends.projectOut) // then a head has the width of the layers
    return own;
  ends.head = nullptr;
  for (const Module *candidate : rest)
    if (candidate->isMatrix() && isHead(*candidate) &&
        candidate->weight == narrow->weight)
      ends.head = candidate;
  return own;
}

/// Later modules replace earlier ones in the same role, in the order of their
/// names.
Ends Reading::endsOf(const char *other) const {
  std::vector<const Module *> rest;
  for (const Module &module : anatomy.rest)
    if (!other || !mentions(module.path, {other}))
      rest.push_back(&module);
  Ends ends;
  int64_t width = sizes.number("d"), own = findTokens(rest, sizes, ends);
  for (const Module *candidate : rest) {
    const Module &module = *candidate;
    bool isTaken = &module == ends.tokens || &module == ends.head ||
                   &module == ends.projectIn || &module == ends.projectOut;
    if (isTaken)
      continue;
    bool isTable = module.isMatrix() &&
                   (module.weight[1] == width || module.weight[1] == own);
    bool isRow = module.isRow() &&
                 !mentions(module.path, {"cls", "head", "pool", "predictions"});
    if (isTable && mentions(module.path, {"pos", "wpe"}))
      ends.positions = &module;
    else if (isTable && mentions(module.path, {"type", "segment"}))
      ends.segments = &module;
    else if (isRow && mentions(module.path, {"emb"}) &&
             (module.weight[0] == width || module.weight[0] == own))
      ends.firstNorm = &module;
    else if (isRow && module.weight[0] == width)
      ends.lastNorm = &module;
  }
  // Without tokens, the others cannot belong to a sum with them.
  if (!ends.tokens)
    ends = {.lastNorm = ends.lastNorm};
  return ends;
}
