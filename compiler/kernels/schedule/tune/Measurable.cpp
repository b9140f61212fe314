// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and applies measured parameters, and lists the candidates of a
// measurement. Candidates are checked like the entries of a file, so every one
// that is measured can also be read back.

#include "compiler/kernels/schedule/tune/Measurable.h"

#include "compiler/kernels/schedule/Anchors.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::kernels;

std::string kernels::setMeasured(xf::KernelOp kernel, const Machine &machine,
                                 Entries &entries, const Numbers &numbers) {
  const Measurable &measurable = *recordOf(kernel.getAnchor()).measurable;
  for (const auto &[name, number] : numbers) {
    const auto *known =
        llvm::find_if(measurable.numbers, [&](const auto &each) {
          return xf::stringifyScheduleParameter(each.parameter) == name;
        });
    // A parameter that the rule leaves out would enable something.
    if (known == measurable.numbers.end() || !entries.get(known->parameter))
      return fmt::format("{}: the schedule of this kernel has no such "
                         "parameter that can be measured",
                         name);
    if (number < 1 || number > known->most)
      return fmt::format("{}: {} is not in the range 1 to {}", name, number,
                         known->most);
    entries.set(known->parameter, number);
  }
  return measurable.problem(kernel, machine, entries);
}

/// The parameters of `entries` that differ from the chosen ones.
static Numbers differences(const Measurable &measurable, const Entries &entries,
                           const Entries &chosen) {
  Numbers numbers;
  for (const Measurable::Number &each : measurable.numbers)
    if (auto number = entries.get(each.parameter);
        number && number != chosen.get(each.parameter))
      numbers[xf::stringifyScheduleParameter(each.parameter).str()] = *number;
  return numbers;
}

std::vector<Entries> kernels::candidatesOf(xf::KernelOp kernel,
                                           const Machine &machine,
                                           const Entries &chosen) {
  const Measurable &measurable = *recordOf(kernel.getAnchor()).measurable;
  std::vector<Entries> candidates;
  std::set<Numbers> known = {{}};
  for (const Entries &variation : measurable.variations(machine, chosen)) {
    Numbers numbers = differences(measurable, variation, chosen);
    Entries candidate = chosen;
    if (candidates.size() < mostCandidates && known.insert(numbers).second &&
        setMeasured(kernel, machine, candidate, numbers).empty())
      candidates.push_back(candidate);
  }
  return candidates;
}
