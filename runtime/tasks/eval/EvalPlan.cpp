// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains entries by the names of arguments and results, so that for instance
// the result of an encoder becomes the memory that a decoder attends to.
// Entries are considered in the program's order; each may use the results of
// earlier ones.

#include "runtime/tasks/eval/EvalPlan.h"

#include "base/Error.h"
#include "runtime/program/call/ArrayArguments.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

namespace {

/// Number of elements along an axis at the given lengths.
int64_t extent(const Axis &axis, const std::vector<int64_t> &lengths) {
  return axis.length < 0 ? axis.size
                         : lengths[static_cast<size_t>(axis.length)];
}

} // namespace

EvalPlan::EvalPlan(const Metadata &metadata, const EvalInputs &inputs,
                   const std::string &only)
    : entries(metadata.entries), inputs(inputs) {
  std::string missing; // of the first entry that cannot run
  size_t wanted = only.empty() ? 0 : metadata.entry(only);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].stage != Stage::Whole)
      continue;
    if (!only.empty() && i != wanted)
      continue;
    std::string problem = consider(i);
    if (missing.empty())
      missing = problem;
  }
  if (chosen.empty())
    fail("{}", missing.empty() ? "this program has no entries" : missing);
}

/// Adds an entry to the plan; if that is not possible, returns which argument
/// is missing.
std::string EvalPlan::consider(size_t index) {
  EvalStep step{index, {}, {}};
  for (const Argument &argument : entries[index].arguments) {
    std::optional<EvalSource> source = find(argument);
    if (!source && !argument.defaultValue)
      return fmt::format("entry '{}' needs {}", entries[index].name,
                         inputs.wayToGive(argument.external));
    step.sources.push_back(source.value_or(EvalSource{}));
  }
  step.padded = paddedLengths(step);
  chosen.push_back(std::move(step));
  return "";
}

std::optional<EvalSource> EvalPlan::find(const Argument &argument) const {
  if (const NpyArray *array = inputs.find(argument))
    return EvalSource{array, std::nullopt};
  for (size_t step = 0; step < chosen.size(); ++step) {
    const std::vector<Result> &results = entry(chosen[step]).results;
    for (size_t i = 0; i < results.size(); ++i)
      // A result of another rank is a different value of the same name.
      if (results[i].name == argument.name && !argument.integer &&
          results[i].shape.size() == argument.shape.size())
        return EvalSource{nullptr, EvalSource::Earlier{step, i}};
  }
  return std::nullopt;
}

std::vector<int64_t> EvalPlan::paddedLengths(const EvalStep &step) const {
  const Entry &entry = entries[step.entry];
  std::vector<int64_t> lengths(entry.lengths.size(), unknownLength);
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const EvalSource &source = step.sources[i];
    if (source.earlier)
      copyLengths(entry, entry.arguments[i], *source.earlier,
                  chosen[source.earlier->step].padded, lengths);
    else if (source.array)
      readExtents(entry, entry.arguments[i], *source.array, lengths);
  }
  for (size_t i : ownLengths(entry))
    if (lengths[i] == unknownLength)
      fail("entry '{}': no input determines the length {}", entry.name,
           entry.lengths[i]);
  std::vector<int64_t> given = lengths;
  deriveLengths(entry, lengths);
  for (size_t i = 0; i < lengths.size(); ++i)
    if (given[i] != unknownLength && given[i] != lengths[i])
      fail("entry '{}': an input has {} = {}, but other inputs make it {}",
           entry.name, entry.lengths[i], given[i], lengths[i]);
  // Results have at least one row.
  if (std::ranges::any_of(lengths, [](int64_t length) { return length < 1; }))
    checkLengths(entry, lengths);
  return lengths;
}

/// Sets lengths from the result of an earlier step, whose lengths are `from`.
void EvalPlan::copyLengths(const Entry &entry, const Argument &argument,
                           const EvalSource::Earlier &earlier,
                           const std::vector<int64_t> &from,
                           std::vector<int64_t> &lengths) const {
  const Shape &shape =
      entries[chosen[earlier.step].entry].results[earlier.result].shape;
  if (shape.size() != argument.shape.size())
    fail("entry '{}': '{}' has {} axes, the result of that name has {}",
         entry.name, argument.name, argument.shape.size(), shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t known = extent(shape[i], from);
    int length = argument.shape[i].length;
    if (length >= 0)
      lengths[static_cast<size_t>(length)] = known;
    else if (argument.shape[i].size != known)
      fail("entry '{}': '{}' has size {}, the result of that name has {}",
           entry.name, argument.name, argument.shape[i].size, known);
  }
}

std::vector<int64_t> EvalPlan::lengths(const EvalStep &step,
                                       int64_t sequence) const {
  std::vector<int64_t> result = step.padded;
  const Entry &entry = entries[step.entry];
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    const EvalSource &source = step.sources[i];
    if (source.earlier) {
      const EvalStep &from = chosen[source.earlier->step];
      copyLengths(entry, argument, *source.earlier, lengths(from, sequence),
                  result);
    } else if (source.array && !argument.shape.empty() &&
               argument.shape[0].length >= 0) {
      int64_t &length = result[static_cast<size_t>(argument.shape[0].length)];
      length = std::min(length, inputs.valid(argument, sequence));
    }
  }
  deriveLengths(entry, result);
  return result;
}

} // namespace transfold::runtime::inline tasks
