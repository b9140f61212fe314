// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and checks the input arrays. Names are those of the interface, as in
// Hugging Face's models; the name of a mask differs from that of its array in
// the suffix.

#include "runtime/tasks/eval/EvalInputs.h"

#include "base/Error.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

namespace {

/// X + "attention_mask" is the mask of X + "input_ids", or of samples or
/// features.
constexpr std::string_view maskSuffix = "attention_mask";
constexpr std::string_view maskedSuffixes[] = {"input_ids", "input_values",
                                               "input_features"};

/// The names that callers may use.
std::set<std::string> argumentNames(const Metadata &metadata) {
  std::set<std::string> names;
  for (const Entry &entry : metadata.entries)
    for (const Argument &argument : entry.arguments)
      names.insert(argument.external);
  return names;
}

} // namespace

EvalInputs::EvalInputs(const Metadata &metadata,
                       const std::vector<std::string> &inputs)
    : isOfFiles(true), known(argumentNames(metadata)) {
  Masks masks;
  for (const std::string &input : inputs) {
    size_t equals = input.find('=');
    if (equals == 0 || equals == input.npos || equals + 1 == input.size())
      fail("--in {}: write NAME=FILE, for example input_ids=ids.npy", input);
    std::string place = "--in " + input, name = input.substr(0, equals);
    checkName(place, name);
    take(place, name, NpyArray(input.substr(equals + 1)), masks);
  }
  readMasks(masks);
}

EvalInputs::EvalInputs(const Metadata &metadata, std::vector<Named> inputs)
    : known(argumentNames(metadata)) {
  Masks masks;
  for (auto &[name, array] : inputs) {
    std::string place = "input '" + name + "'";
    checkName(place, name);
    take(place, name, std::move(array), masks);
  }
  readMasks(masks);
}

/// Throws Error unless the name is that of an argument or of a mask.
void EvalInputs::checkName(const std::string &place,
                           const std::string &name) const {
  if (!known.contains(name) && !name.ends_with(maskSuffix))
    fail("{}: no entry has an argument '{}'; there are: {}", place, name,
         fmt::join(known, ", "));
}

void EvalInputs::take(const std::string &place, const std::string &name,
                      NpyArray array, Masks &masks) {
  auto [at, isNew] =
      (known.contains(name) ? arrays : masks).emplace(name, std::move(array));
  if (!isNew)
    fail("{}: '{}' is given twice", place, name);
  countSequences(name, at->second);
}

void EvalInputs::readMasks(const Masks &masks) {
  for (const auto &[name, mask] : masks)
    readMask(name, mask);
}

void EvalInputs::countSequences(const std::string &name,
                                const NpyArray &array) {
  if (array.shape().empty() || array.shape()[0] < 1)
    fail("{}: its first axis must be the batch, of at least one sequence",
         name);
  if (sequences >= 0 && sequences != array.shape()[0])
    fail("{}: has {} sequences, other inputs have {}", name, array.shape()[0],
         sequences);
  sequences = array.shape()[0];
}

void EvalInputs::readMask(const std::string &name, const NpyArray &mask) {
  const std::string prefix = name.substr(0, name.size() - maskSuffix.size());
  std::string masked = prefix + std::string(maskedSuffixes[0]);
  for (std::string_view suffix : maskedSuffixes)
    if (arrays.contains(prefix + std::string(suffix)))
      masked = prefix + std::string(suffix);
  auto found = arrays.find(masked);
  if (found == arrays.end())
    fail("{}: there is no input '{}' for it", name, masked);
  const std::vector<int64_t> &shape = found->second.shape();
  if (mask.shape().size() != 2 || shape.size() < 2 ||
      !std::equal(mask.shape().begin(), mask.shape().end(), shape.begin()))
    fail("{}: has shape ({}), {} has ({})", name, fmt::join(mask.shape(), ", "),
         masked, fmt::join(found->second.shape(), ", "));
  int64_t width = mask.shape()[1];
  std::vector<int64_t> &valid = validPositions[masked];
  for (int64_t row = 0; row < mask.shape()[0]; ++row) {
    int64_t ones = 0;
    while (ones < width && mask.real(row * width + ones) == 1)
      ++ones;
    for (int64_t i = ones; i < width; ++i)
      if (mask.real(row * width + i) != 0)
        fail("{}[{}, {}]: a mask must be ones followed by zeros; padding "
             "belongs at the end",
             name, row, i);
    if (ones == 0)
      fail("{}[{}]: every token is masked; a sequence must have one", name,
           row);
    valid.push_back(ones);
  }
}

const NpyArray *EvalInputs::find(const Argument &argument) const {
  auto found = arrays.find(argument.external);
  return found == arrays.end() ? nullptr : &found->second;
}

int64_t EvalInputs::valid(const Argument &argument, int64_t index) const {
  auto found = validPositions.find(argument.external);
  if (found != validPositions.end())
    return found->second[static_cast<size_t>(index)];
  return arrays.at(argument.external).shape().at(1);
}

} // namespace transfold::runtime::inline tasks
