// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/Anchors.h"

using namespace transfold;
using namespace transfold::kernels;

static const AnchorRecord records[] = {
    {
        .anchor = xf::Anchor::Contraction,
        // The columns of a tile.
        .lanes = "columns",
        .isInParts = true,
        .readsPanels = true,
        .processor = {chooseContraction, scheduleContraction},
        .gpu = {chooseContractionOnGpu, scheduleContractionOnGpu},
        .fewRows = {{canHaveFewRowsOfContraction, chooseContractionOfFewRows,
                     .isOneLoop = true}},
        .measurable = &measurableContraction,
    },
    {
        .anchor = xf::Anchor::Attention,
        // A row is reduced in the panels of its keys.
        .lanes = "keys",
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseAttention, scheduleAttention},
        .gpu = {chooseAttentionOnGpu, scheduleAttentionOnGpu},
        .fewRows = {{canHaveFewRowsOfAttention, chooseAttentionOfFewRows,
                     .isOneLoop = false}},
        .measurable = &measurableAttention,
    },
    {
        .anchor = xf::Anchor::Rows,
        .lanes = "lanes",
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseRows, scheduleRows},
        .gpu = {chooseRowsOnGpu, scheduleRowsOnGpu},
        .fewRows = {},
        .measurable = &measurableRows,
    },
    {
        .anchor = xf::Anchor::Reduction,
        .lanes = "lanes",
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseReduction, scheduleReduction},
        .gpu = {chooseRowsOnGpu, scheduleReductionOnGpu},
        .fewRows = {},
        .measurable = &measurableReduction,
    },
};

static_assert(std::size(records) == xf::getMaxEnumValForAnchor() + 1,
              "each anchor has a record");

const AnchorRecord &kernels::recordOf(xf::Anchor anchor) {
  for (const AnchorRecord &record : records)
    if (record.anchor == anchor)
      return record;
  llvm_unreachable("each anchor has a record");
}
