// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of anchors: which functions choose, apply and vary their schedules,
// and which small-M forms they have.

#include "compiler/kernels/schedule/Anchors.h"

#include "compiler/kernels/schedule/choose/FewRows.h"

using namespace transfold;
using namespace transfold::kernels;

// Rows in tiles of a few, and one by one.
static const AnchorRecord::FewRows ofContractions[] = {
    {"_several", severalRows, canHaveFewRowsOfContraction,
     chooseContractionOfSeveralRows, /*isOneLoop=*/true},
    {"_few", fewRowsOfContraction, canHaveFewRowsOfContraction,
     chooseContractionOfFewRows, /*isOneLoop=*/true},
};
// Four rows at a time, and one.
static const AnchorRecord::FewRows ofContractionsOnGpu[] = {
    {"_several", severalRowsOnGpu, canHaveFewRowsOnGpu, chooseSeveralRowsOnGpu,
     /*isOneLoop=*/false},
    {"_few", oneRowOnGpu, canHaveFewRowsOnGpu, chooseFewRowsOnGpu,
     /*isOneLoop=*/false},
};
// First the parts of keys, then the results of all parts.
static const AnchorRecord::FewRows ofAttentions[] = {
    {"_few", fewRowsOfAttention, canHaveFewRowsOfAttention,
     chooseAttentionOfFewRows, /*isOneLoop=*/false},
};
// Parts of keys are thread blocks.
static const AnchorRecord::FewRows ofAttentionsOnGpu[] = {
    {"_several", severalRowsOnGpu, canHaveFewRowsOfAttentionOnGpu,
     chooseAttentionOfFewRowsOnGpu, /*isOneLoop=*/false},
    {"_few", oneRowOnGpu, canHaveFewRowsOfAttentionOnGpu,
     chooseAttentionOfOneRowOnGpu, /*isOneLoop=*/false},
};

// Small-M forms have entries of their own, and so has a result that is a single
// row.
static void scheduleProductOnGpu(Algorithm &algorithm,
                                 const Schedule &schedule) {
  if (schedule.has(Parameter::Tiles))
    scheduleTensorCores(algorithm, schedule);
  else if (schedule.has(Parameter::Parts))
    scheduleFewRowsOnGpu(algorithm, schedule);
  else
    scheduleContractionOnGpu(algorithm, schedule);
}

static const AnchorRecord records[] = {
    {
        .anchor = xf::Anchor::Contraction,
        // The columns of a tile.
        .lanes = Parameter::Columns,
        .isInParts = true,
        .readsPanels = true,
        .processor = {chooseContraction, scheduleContraction},
        .gpu = {chooseContractionOnGpu, scheduleProductOnGpu},
        .fewRows = ofContractions,
        .fewRowsOnGpu = ofContractionsOnGpu,
        .measurable = &measurableContraction,
    },
    {
        .anchor = xf::Anchor::Attention,
        // A row is reduced in lanes that are the keys of a panel.
        .lanes = Parameter::Keys,
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseAttention, scheduleAttention},
        .gpu = {chooseAttentionOnGpu, scheduleAttentionOnGpu},
        .fewRows = ofAttentions,
        .fewRowsOnGpu = ofAttentionsOnGpu,
        .measurable = &measurableAttention,
    },
    {
        .anchor = xf::Anchor::Rows,
        .lanes = Parameter::Lanes,
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseRows, scheduleRows},
        .gpu = {chooseRowsOnGpu, scheduleRowsOnGpu},
        .fewRows = {},
        .fewRowsOnGpu = {},
        .measurable = &measurableRows,
    },
    {
        .anchor = xf::Anchor::Reduction,
        .lanes = Parameter::Lanes,
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseReduction, scheduleReduction},
        .gpu = {chooseRowsOnGpu, scheduleReductionOnGpu},
        .fewRows = {},
        .fewRowsOnGpu = {},
        .measurable = &measurableReduction,
    },
    {
        .anchor = xf::Anchor::Scan,
        .lanes = Parameter::Lanes,
        .isInParts = false,
        .readsPanels = false,
        .processor = {chooseScan, scheduleScan},
        // On a device a recurrence launches kernels for each position.
        .gpu = {chooseScanOnGpu, scheduleScan},
        .fewRows = {},
        .fewRowsOnGpu = {},
        .measurable = &measurableScan,
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
