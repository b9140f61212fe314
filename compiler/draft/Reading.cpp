// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/draft/Reading.h"

using namespace transfold;
using namespace transfold::draft;

Reading::Reading(const checkpoint::Checkpoint &checkpoint)
    : sizes(checkpoint.config()), anatomy(anatomyOf(checkpoint.tensors())) {
  findEnds();
  if (!anatomy.stacks.empty()) {
    stack = &anatomy.stacks[0];
    layer = layerOf(*stack, sizes, ends.lastNorm != nullptr);
  }
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

/// The table has the layers' width, or another one, and then there is a matrix
/// between the two.
int64_t Reading::findTokens() {
  int64_t vocabulary = sizes.number("vocab"), width = sizes.number("d");
  auto isHead = [](const Module &module) {
    return mentions(module.path, {"head", "embed_out", "output"});
  };
  const Module *narrow = nullptr;
  for (const Module &module : anatomy.rest) {
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
  for (const Module &module : anatomy.rest) {
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
  for (const Module &module : anatomy.rest)
    if (module.isMatrix() && isHead(module) && module.weight == narrow->weight)
      ends.head = &module;
  return own;
}

void Reading::findEnds() {
  int64_t width = sizes.number("d"), own = findTokens();
  for (const Module &module : anatomy.rest) {
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
  if (!ends.tokens) // what else there is belongs to no sum with it
    ends = {.lastNorm = ends.lastNorm};
}
