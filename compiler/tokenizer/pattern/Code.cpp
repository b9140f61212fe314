// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines pieces of code. Targets of jumps are relative to the beginning of a
// piece, so `append` moves them.

#include "compiler/tokenizer/pattern/Code.h"

#include <algorithm>

namespace transfold::tokenizer {

using runtime::Pattern;
using Instruction = Pattern::Instruction;

/// The limit for a whole expression: nested repetition counts multiply its
/// length.
constexpr size_t maximumInstructions = 20000;

bool append(Code &to, const Code &code) {
  auto shift = static_cast<uint32_t>(to.size());
  if (to.size() + code.size() > maximumInstructions)
    return false;
  for (Instruction instruction : code) {
    if (instruction.hasTarget())
      instruction.a += shift;
    if (instruction.kind == Instruction::Split)
      instruction.b += shift;
    to.push_back(instruction);
  }
  return true;
}

bool alternativesOf(std::vector<Code> all, Code &code) {
  code = std::move(all.back());
  all.pop_back();
  // From the last to the first: "this one, or else the rest".
  for (; !all.empty(); all.pop_back()) {
    auto first = static_cast<uint32_t>(all.back().size());
    Code either{{Instruction::Split, 1, first + 2}};
    if (!append(either, all.back()))
      return false;
    either.push_back(
        {Instruction::Jump, first + 2 + static_cast<uint32_t>(code.size())});
    if (!append(either, code))
      return false;
    code = std::move(either);
  }
  return true;
}

/// "Mark, `code`, and to the end if it matched nothing."
static bool watched(const Code &code, uint32_t mark, Code &result) {
  result = {{Instruction::Mark, 0, mark}};
  if (!append(result, code))
    return false;
  // The jump to the beginning of the loop follows.
  const auto end = static_cast<uint32_t>(result.size()) + 2;
  result.push_back({Instruction::Moved, end, mark});
  return true;
}

bool repeated(const Code &code, Times times, bool lazy, uint32_t &marks,
              Code &result) {
  auto split = [&](uint32_t more, uint32_t done) {
    return lazy ? Instruction{Instruction::Split, done, more}
                : Instruction{Instruction::Split, more, done};
  };
  auto size = static_cast<uint32_t>(code.size());
  result.clear();
  for (size_t i = 0; i < times.least; ++i)
    if (!append(result, code))
      return false;
  if (times.most == Times::unlimited) {
    Code body = code;
    if (lengthOf(code).least == 0 && !watched(code, marks++, body))
      return false;
    Code loop{split(1, static_cast<uint32_t>(body.size()) + 2)};
    if (!append(loop, body))
      return false;
    loop.push_back({Instruction::Jump, 0});
    return append(result, loop);
  }
  // Each further repetition is optional and nested in the previous one.
  Code optional;
  for (size_t i = times.least; i < times.most; ++i) {
    auto inner = static_cast<uint32_t>(optional.size());
    Code outer{split(1, 1 + size + inner)};
    if (!append(outer, code) || !append(outer, optional))
      return false;
    optional = std::move(outer);
  }
  return append(result, optional);
}

bool inside(Instruction::Kind kind, const Code &code, Code &result,
            uint32_t b) {
  result = {{kind, static_cast<uint32_t>(code.size()) + 1, b}};
  return append(result, code);
}

/// The sum, where unlimited plus anything is unlimited.
static size_t sum(size_t a, size_t b) {
  return a > Times::unlimited - b ? Times::unlimited : a + b;
}

Times lengthOf(const Code &code) {
  // The length of the match from each instruction on. Targets lie ahead except
  // for those of loops, which have no longest match, and no shortest of their
  // own.
  std::vector<Times> from(code.size() + 1, Times{0, 0});
  for (size_t i = code.size(); i-- > 0;) {
    const Instruction &instruction = code[i];
    switch (instruction.kind) {
    case Instruction::Set:
      from[i] = {sum(from[i + 1].least, 1), sum(from[i + 1].most, 1)};
      break;
    case Instruction::Moved:
      // Its target may be the instruction that follows the code.
      from[i] = {0, Times::unlimited};
      break;
    case Instruction::Split:
      from[i] = {std::min(from[instruction.a].least, from[instruction.b].least),
                 std::max(from[instruction.a].most, from[instruction.b].most)};
      break;
    case Instruction::Jump:
      from[i] = instruction.a > i ? from[instruction.a]
                                  : Times{Times::unlimited, Times::unlimited};
      break;
    case Instruction::Ahead:
    case Instruction::NoAhead:
    case Instruction::Behind:
    case Instruction::NoBehind:
      from[i] = from[instruction.a];
      break;
    default: // matches nothing by itself
      from[i] = from[i + 1];
      break;
    }
  }
  return from[0];
}

} // namespace transfold::tokenizer
