// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurable parameters of attentions; Attention.cpp and AttentionParts.cpp
// explain them. A row is reduced in the panels of its keys, so `keys` is not
// measured.

#include "compiler/kernels/algorithm/lower/AttentionOps.h"
#include "compiler/kernels/schedule/tune/Measurable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

/// The widest vector that divides the channels of a head.
static int64_t vectorOf(const Machine &machine, int64_t channels) {
  int64_t vector = machine.vector;
  while (channels % vector)
    vector /= 2;
  return vector;
}

// The reason why entries do not fit the kernel or the registers; empty if they
// do.
static std::string problem(xf::KernelOp kernel, const Machine &machine,
                           const Entries &entries) {
  if (entries.get(Parameter::Shared)) // few rows: there is nothing to measure
    return "";
  const int64_t rows = *entries.get(Parameter::Rows),
                strip = *entries.get(Parameter::Strip),
                width = *entries.get(Parameter::Channels);
  const int64_t channels = *xf::getNumber(
      findAttention(kernel)->mixture.getType().getShape().back());
  const int64_t vector = vectorOf(machine, channels);
  if (channels % width || width % vector)
    return fmt::format(
        "channels: {} is not a multiple of {} that divides the {} of a head",
        width, vector, channels);
  if (strip % rows)
    return fmt::format("strip: {} is not a multiple of {} rows", strip, rows);
  const int64_t columns =
      std::max(width / vector, *entries.get(Parameter::Keys) / machine.vector);
  if (rows * columns > 2 * machine.registers)
    return fmt::format("rows: {} of {} vectors do not fit {} registers", rows,
                       columns, machine.registers);
  return "";
}

// Tiles of fewer rows fit a small number of rows better. A longer strip reads
// the keys less often, a shorter one computes less of what the mask hides. More
// channels at a time read the weights less often.
static std::vector<Entries> variations(const Machine &machine,
                                       const Entries &chosen) {
  std::vector<Entries> varied;
  if (chosen.get(Parameter::Shared))
    return varied;
  const int64_t rows = *chosen.get(Parameter::Rows),
                strip = *chosen.get(Parameter::Strip),
                channels = *chosen.get(Parameter::Channels);
  varied.push_back(chosen.with({{Parameter::Strip, rows}}));
  varied.push_back(chosen.with({{Parameter::Strip, 2 * strip}}));
  varied.push_back(chosen.with({{Parameter::Strip, 4 * strip}}));
  for (int64_t fewer : {rows - 1, rows - 2})
    varied.push_back(chosen.with(
        {{Parameter::Rows, fewer}, {Parameter::Strip, strip / rows * fewer}}));
  varied.push_back(chosen.with({{Parameter::Channels, channels / 2}}));
  varied.push_back(chosen.with(
      {{Parameter::Channels, 2 * channels}, {Parameter::Rows, rows / 2}}));
  return varied;
}

static const Measurable::Number numbers[] = {
    {Parameter::Channels, 256}, {Parameter::Rows, 16}, {Parameter::Strip, 256}};
const Measurable kernels::measurableAttention = {numbers, problem, variations};
