// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/Nfa.h"

#include "runtime/constrain/automaton/JsonString.h"

namespace transfold::runtime::inline constrain {

uint32_t Nfa::add(Node node) {
  constexpr size_t bytesOfNode = sizeof(Node) + 8;
  budget.work();
  budget.memory(bytesOfNode);
  bytes += bytesOfNode;
  nodes.push_back(node);
  return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t Nfa::range(uint8_t low, uint8_t high, uint32_t next) {
  const uint64_t key = uint64_t{next} << 16 | unsigned{low} << 8 | high;
  auto [found, isNew] = ranges.try_emplace(key);
  if (isNew)
    found->second =
        add({.kind = Kind::Range, .low = low, .high = high, .next = next});
  return found->second;
}

uint32_t Nfa::text(std::string_view text, uint32_t next) {
  for (size_t i = text.size(); i-- > 0;) {
    auto byte = static_cast<uint8_t>(text[i]);
    next = range(byte, byte, next);
  }
  return next;
}

uint32_t Nfa::character(const CodeSet &set, TextForm form, uint32_t next) {
  uint32_t result = UINT32_MAX;
  auto addWay = [&](uint32_t way) {
    result = result == UINT32_MAX ? way : either(way, result);
  };
  const bool isJson = form == TextForm::Json;
  const CodeSet plain = isJson ? set.minus(escapedInJson()) : set;
  std::vector<ByteSequence> sequences;
  for (CodeRange part : plain.ranges())
    appendUtf8Sequences(part, sequences);
  for (const ByteSequence &sequence : sequences) {
    uint32_t way = next;
    for (size_t i = sequence.size; i-- > 0;)
      way = range(sequence.bytes[i].low, sequence.bytes[i].high, way);
    addWay(way);
  }
  if (isJson) {
    const CodeSet escaped = set.intersect(escapedInJson());
    for (auto [low, high] : escaped.ranges())
      for (char32_t code = low; code <= high; ++code)
        addWay(text(jsonEscape(code), next));
  }
  return result == UINT32_MAX ? nothing() : result;
}

} // namespace transfold::runtime::inline constrain
