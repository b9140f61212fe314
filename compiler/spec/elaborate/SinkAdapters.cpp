// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/elaborate/SinkAdapters.h"

#include <fmt/format.h>

#include <sstream>

namespace transfold::spec {

static std::string text(const std::vector<Dim> &shape) {
  std::string result;
  for (const Dim &size : shape)
    result += size.str() + ",";
  return "[" + result + "]";
}

static std::string text(const Labels &labels) {
  std::string result;
  for (const std::string &label : labels)
    result += label + " ";
  return result;
}

static std::string text(const Operand &operand) {
  return fmt::format("%{} {}", operand.value, text(operand.labels));
}

Handle NotingSink::argument(const std::string &name,
                            const std::vector<Dim> &shape, bool integer,
                            Place) {
  return note(fmt::format("argument {} {} {}", name, text(shape), integer));
}

Handle NotingSink::weight(const BoundWeight &weight, Place) {
  return note("weight " + text(weight.shape));
}

Handle NotingSink::constant(const ExactScalar &value, Place) {
  return note("constant " + value.str());
}

Handle NotingSink::integers(int64_t value, const std::vector<Dim> &shape,
                            Place) {
  return note(fmt::format("integers {} {}", value, text(shape)));
}

Handle NotingSink::tabulate(const IndexFunction &function,
                            const std::vector<Dim> &shape, Place) {
  return note("tabulate " + function.str() + text(shape));
}

Handle NotingSink::contract(const Operand &a, const Operand &b,
                            const Labels &out, Place) {
  return note(
      fmt::format("contract {}, {} -> {}", text(a), text(b), text(out)));
}

Handle NotingSink::binary(Binary kind, const Operand &a, const Operand &b,
                          const Labels &out, Place) {
  return note(fmt::format("binary {} {}, {} -> {}", int(kind), text(a), text(b),
                          text(out)));
}

Handle NotingSink::scale(Handle x, const ExactScalar &factor,
                         const std::string &written, Place) {
  return note(fmt::format("scale %{} {} {}", x, factor.str(), written));
}

Handle NotingSink::unary(Unary kind, Handle x, Place) {
  return note(fmt::format("unary {} %{}", int(kind), x));
}

Handle NotingSink::power(Handle x, const ExactScalar &exponent, Place) {
  return note(fmt::format("power %{} {}", x, exponent.str()));
}

Handle NotingSink::clamp(Handle x, const ExactScalar *least,
                         const ExactScalar *most, Place) {
  return note(fmt::format("clamp %{} {} {}", x, least ? least->str() : "none",
                          most ? most->str() : "none"));
}

Handle NotingSink::rowWise(RowWise kind, Handle x, const ExactScalar &epsilon,
                           Place) {
  return note(fmt::format("rows {} %{} {}", int(kind), x, epsilon.str()));
}

Handle NotingSink::softmax(Handle x, const SoftmaxParts &parts, Place) {
  std::string what = fmt::format("softmax %{}", x);
  if (parts.mask)
    what += " where " + parts.mask->str();
  if (parts.among)
    what += fmt::format(" among %{}", *parts.among);
  if (parts.sink)
    what += fmt::format(" sink %{}", *parts.sink);
  return note(what);
}

Handle NotingSink::reduce(Reduction kind, Handle x, unsigned axis, Place) {
  return note(fmt::format("reduce {} %{} {}", int(kind), x, axis));
}

Handle NotingSink::roundTo(Handle x, const std::string &dtype, Place) {
  return note(fmt::format("round %{} {}", x, dtype));
}

Handle NotingSink::gather(Handle table, Handle indices, Place) {
  return note(fmt::format("gather %{} %{}", table, indices));
}

Handle NotingSink::slice(Handle x, unsigned axis, int64_t offset,
                         const Dim &size, Place) {
  return note(fmt::format("slice %{} {} {} {}", x, axis, offset, size.str()));
}

Handle NotingSink::select(Handle x, unsigned axis, int64_t index, Place) {
  return note(fmt::format("select %{} {} {}", x, axis, index));
}

Handle NotingSink::rearrange(
    Handle x, const std::vector<Labels> &from, const std::vector<Labels> &to,
    const std::vector<std::pair<std::string, Dim>> &sizes, Place) {
  std::string what = fmt::format("rearrange %{} ", x);
  for (const Labels &axis : from)
    what += "{" + text(axis) + "}";
  what += "->";
  for (const Labels &axis : to)
    what += "{" + text(axis) + "}";
  for (const auto &[label, size] : sizes)
    what += label + "=" + size.str() + " ";
  return note(what);
}

Handle NotingSink::repeat(Handle x, unsigned axis, int64_t times, Place) {
  return note(fmt::format("repeat %{} {} {}", x, axis, times));
}

Handle NotingSink::append(Handle a, Handle b, unsigned axis, Place) {
  return note(fmt::format("append %{} %{} {}", a, b, axis));
}

Handle NotingSink::primitive(const std::string &name,
                             const std::vector<Handle> &operands,
                             const std::vector<ExactScalar> &statics,
                             const IndexFunction *angles,
                             const std::vector<Dim> &shape, Place) {
  std::string what = "primitive " + name;
  for (Handle operand : operands)
    what += fmt::format(" %{}", operand);
  for (const ExactScalar &number : statics)
    what += " " + number.str();
  return note(what + (angles ? angles->str() : "") + text(shape));
}

std::vector<Handle> NotingSink::loop(
    const std::string &variable, int64_t count,
    const std::vector<Handle> &carried,
    const std::function<std::vector<Handle>(const std::vector<Handle> &)> &body,
    Place) {
  std::vector<Handle> arguments, results;
  for (Handle value : carried)
    arguments.push_back(
        note(fmt::format("loop {} < {} %{}", variable, count, value)));
  for (Handle value : body(arguments))
    results.push_back(note(fmt::format("end %{}", value)));
  return results;
}

Handle Recorder::note(const std::string &what) {
  calls.push_back(what);
  // Distinct from the handles of values that were made outside of the loop.
  return (1 << 24) + int(calls.size());
}

//===----------------------------------------------------------------------===//
// Weights of all rounds
//===----------------------------------------------------------------------===//

static bool samePlace(const Storage &a, const Storage &b) {
  return a.tensor == b.tensor && a.offset == b.offset && a.axes == b.axes &&
         a.added == b.added;
}

static bool sameStorage(const BoundWeight &a, const BoundWeight &b) {
  if (a.storage.size() != b.storage.size())
    return false;
  for (size_t k = 0; k < a.storage.size(); ++k)
    if (!samePlace(a.storage[k], b.storage[k]))
      return false;
  return true;
}

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

/// Layers of two families are never one loop, even if their equations are the
/// same, because each family has its own names. Rounds are one loop only if
/// their weights have the same formats: a quantized file stores some of its
/// layers with more bits.
Handle Recorder::weight(const BoundWeight &weight, Place at) {
  weights.push_back(weight);
  std::string call = "of " + withoutNumbers(weight.name);
  for (const Storage &storage : weight.storage)
    if (&storage == &weight.storage[0] ||
        storage.dtype != weight.storage[0].dtype)
      call += " in " + storage.dtype;
  calls.push_back(std::move(call));
  return NotingSink::weight(weight, at);
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

std::vector<BoundWeight>
mergedOverRounds(const std::vector<std::vector<BoundWeight>> &rounds,
                 const std::string &variable, bool areAll) {
  std::vector<BoundWeight> merged = rounds.front();
  for (size_t k = 0; k < merged.size(); ++k) {
    BoundWeight &weight = merged[k];
    bool varies = false;
    for (const auto &round : rounds)
      varies |= !sameStorage(round[k], weight);
    if (!varies)
      continue;
    weight.name = commonName(weight.name, rounds.back()[k].name, areAll);
    weight.indices.insert(weight.indices.begin(),
                          {variable, int64_t(rounds.size())});
    weight.storage.clear();
    for (const auto &round : rounds)
      weight.storage.insert(weight.storage.end(), round[k].storage.begin(),
                            round[k].storage.end());
  }
  return merged;
}

} // namespace transfold::spec
