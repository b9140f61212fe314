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

void Reading::findEnds() {
  int64_t vocabulary = sizes.number("vocab"), width = sizes.number("d");
  for (const Module &module : anatomy.rest) {
    bool isTable = module.isMatrix() && module.weight[1] == width;
    bool isHead = mentions(module.path, {"head", "embed_out", "output"});
    if (isTable && module.weight[0] == vocabulary)
      (isHead ? ends.head : ends.tokens) = &module;
    else if (isTable && mentions(module.path, {"pos", "wpe"}))
      ends.positions = &module;
    else if (isTable && mentions(module.path, {"type", "segment"}))
      ends.segments = &module;
    else if (module.isRow() && module.weight[0] == width &&
             !mentions(module.path, {"cls", "head", "pool", "predictions"}))
      (mentions(module.path, {"emb"}) ? ends.firstNorm : ends.lastNorm) =
          &module;
  }
  if (!ends.tokens) // what else there is belongs to no sum with it
    ends = {.lastNorm = ends.lastNorm};
}
