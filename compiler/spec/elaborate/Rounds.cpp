// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the rounds of a loop, and merges the weights of equal rounds. Rounds
// are equal if their steps are, except for the names and the storage of
// weights.

#include "compiler/spec/elaborate/Rounds.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Whether two rounds are the same
//===----------------------------------------------------------------------===//

/// The parts of a path: "layers", "0", "attn", "W_Q".
static std::vector<std::string> components(const std::string &name) {
  std::vector<std::string> result;
  std::stringstream stream(name);
  for (std::string part; std::getline(stream, part, '.');)
    result.push_back(part);
  return result;
}

/// "layers.attn.W_Q" for "layers.0.attn.W_Q".
static std::string withoutNumbers(const std::string &name) {
  std::string result;
  for (const std::string &part : components(name))
    if (part.find_first_not_of("0123456789") != std::string::npos)
      result += (result.empty() ? "" : ".") + part;
  return result;
}

/// The formats of a weight's tensors: the first one, and those that differ.
static std::vector<std::string> formatsOf(const BoundWeight &weight) {
  std::vector<std::string> formats;
  for (const Storage &storage : weight.storage)
    if (formats.empty() || storage.dtype != formats.front())
      formats.push_back(storage.dtype);
  return formats;
}

/// Whether two weights may be one in a loop over both: they are the same weight
/// of the equations, in the same formats.
static bool areSameButStorage(const BoundWeight &a, const BoundWeight &b) {
  return a.shape == b.shape && formatsOf(a) == formatsOf(b) &&
         withoutNumbers(a.name) == withoutNumbers(b.name);
}

/// Whether two steps are the same but for the storage of weights. Their results
/// have the same numbers, because the rounds start at the same one.
static bool areSame(const Step &a, const Step &b) {
  if (a.result != b.result || a.operation.index() != b.operation.index())
    return false;
  return std::visit(
      [&]<typename Operation>(const Operation &operation) {
        const auto &other = std::get<Operation>(b.operation);
        if constexpr (std::is_same_v<Operation, step::ReadWeight>)
          return areSameButStorage(operation.weight, other.weight);
        else if constexpr (std::is_same_v<Operation, step::Loop>)
          return operation.variable == other.variable &&
                 operation.count == other.count &&
                 operation.carried == other.carried &&
                 areSameRound(operation, other);
        else if constexpr (std::is_same_v<Operation, step::Recurrence>)
          return operation.rows == other.rows &&
                 operation.firstRow == other.firstRow &&
                 operation.initial == other.initial &&
                 operation.state == other.state &&
                 operation.next == other.next && operation.axis == other.axis &&
                 operation.backwards == other.backwards &&
                 std::ranges::equal(operation.body, other.body, areSame);
        else
          return operation == other;
      },
      a.operation);
}

bool areSameRound(const step::Loop &a, const step::Loop &b) {
  return a.current == b.current && a.next == b.next &&
         std::ranges::equal(a.body, b.body, areSame);
}

//===----------------------------------------------------------------------===//
// The weights of all rounds
//===----------------------------------------------------------------------===//

/// Whether both are the same elements of the same tensor; the format follows
/// from the tensor.
static bool samePlace(const Storage &a, const Storage &b) {
  return a.tensor == b.tensor && a.offset == b.offset && a.axes == b.axes &&
         a.added == b.added;
}

/// Whether all members of two weights are stored in the same places.
static bool sameStorage(const BoundWeight &a, const BoundWeight &b) {
  if (a.storage.size() != b.storage.size())
    return false;
  for (size_t k = 0; k < a.storage.size(); ++k)
    if (!samePlace(a.storage[k], b.storage[k]))
      return false;
  return true;
}

/// Calls `visit` for each weight that `steps` (constant or not) read, in order.
static void forEachWeight(auto &steps, const auto &visit) {
  for (auto &each : steps) {
    if (auto *read = std::get_if<step::ReadWeight>(&each.operation))
      visit(read->weight);
    if (auto *loop = std::get_if<step::Loop>(&each.operation))
      forEachWeight(loop->body, visit);
  }
}

std::vector<BoundWeight> weightsOf(const std::vector<Step> &steps) {
  std::vector<BoundWeight> weights;
  forEachWeight(steps,
                [&](const BoundWeight &weight) { weights.push_back(weight); });
  return weights;
}

/// "layers.attn.W_Q" for "layers.0.attn.W_Q" … "layers.5.attn.W_Q", if these
/// are all layers; otherwise "layers.0_5.attn.W_Q".
static std::string commonName(const std::string &a, const std::string &b,
                              bool areAll) {
  auto first = components(a), second = components(b);
  std::string result;
  for (size_t k = 0; k < first.size(); ++k) {
    bool isCommon = k >= second.size() || first[k] == second[k];
    if (isCommon || !areAll)
      result += (result.empty() ? "" : ".") + first[k] +
                (isCommon ? "" : "_" + second[k]);
  }
  return result;
}

/// Merges weight `k` of all rounds into `weight`, which is that of the first.
static void mergeWeight(BoundWeight &weight, size_t k,
                        const std::vector<std::vector<BoundWeight>> &rounds,
                        const std::string &variable, bool areAll) {
  bool varies = std::ranges::any_of(rounds, [&](const auto &round) {
    return !sameStorage(round[k], weight);
  });
  if (!varies)
    return;
  weight.name = commonName(weight.name, rounds.back()[k].name, areAll);
  weight.indices.insert(weight.indices.begin(),
                        {variable, int64_t(rounds.size())});
  weight.storage.clear();
  for (const auto &round : rounds)
    weight.storage.insert(weight.storage.end(), round[k].storage.begin(),
                          round[k].storage.end());
}

void mergeRounds(step::Loop &loop,
                 const std::vector<std::vector<BoundWeight>> &rounds,
                 bool areAll) {
  size_t k = 0;
  forEachWeight(loop.body, [&](BoundWeight &weight) {
    mergeWeight(weight, k++, rounds, loop.variable, areAll);
  });
}

} // namespace transfold::spec
