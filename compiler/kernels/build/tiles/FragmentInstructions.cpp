// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text line by line. A call, as LLVM prints it:
//
//   { // callseq 7, 0
//   .param .b32 	param0;
//   st.param.b32 	[param0], %r5;                for each argument
//   .param .b32 	retval0;
//   call.uni (retval0), NAME, (param0, …);
//   ld.param.b32 	%r9, [retval0];
//   } // callseq 7

#include "compiler/kernels/build/tiles/FragmentInstructions.h"

#include "compiler/kernels/algorithm/product/PairDotMark.h"
#include "compiler/kernels/build/halide/DeviceText.h"
#include "compiler/kernels/build/tiles/FragmentCalls.h"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace transfold::kernels {

/// The registers that receive the results of an instruction.
static constexpr const char *results = "%sumOfFragment";
static constexpr size_t resultCount = 4;

namespace {
/// A call in PTX.
struct PtxCall {
  std::string name, result;
  std::vector<std::string> arguments;
};
} // namespace

static bool startsWith(const std::string &line, std::string_view start) {
  return line.compare(0, start.size(), start) == 0;
}

/// The text between `begin` and `end`, or what follows `begin` if `end` is
/// empty; throws if they are not there.
static std::string between(const std::string &line, std::string_view begin,
                           std::string_view end) {
  const size_t first = line.find(begin);
  const size_t last =
      first == std::string::npos ? first : line.find(end, first + begin.size());
  if (last == std::string::npos)
    throw std::runtime_error("an unknown form of call in PTX: " + line);
  return line.substr(first + begin.size(), last - first - begin.size());
}

/// Reads the lines of a call, without those that delimit it.
static PtxCall callOf(const std::vector<std::string> &lines) {
  PtxCall call;
  for (const std::string &line : lines) {
    if (startsWith(line, "\tst.param."))
      call.arguments.push_back(between(line, "], ", ";"));
    else if (startsWith(line, "\tcall.uni (retval0), "))
      call.name = between(line, "(retval0), ", ",");
    else if (startsWith(line, "\tld.param."))
      call.result = between(line, "\t%", ",").insert(0, 1, '%');
  }
  return call;
}

static std::string resultOf(size_t number) {
  return results + std::to_string(number);
}

/// The operands from `first` on, in braces.
static std::string listOf(const PtxCall &call, size_t first, size_t count) {
  std::string text;
  for (size_t k = first; k < first + count; ++k)
    text += (text.empty() ? "{" : ", ") + call.arguments[k];
  return text + "}";
}

/// The instructions for a call; empty if it is another one.
static std::string instructionsFor(const PtxCall &call) {
  // Four sums, then four words of x and two of W.
  if (call.name == multiplyFragmentsName && call.arguments.size() == 10) {
    std::string made;
    for (size_t k = 0; k < resultCount; ++k)
      made += (k ? ", " : "") + resultOf(k);
    return "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {" + made +
           "}, " + listOf(call, 4, 4) + ", " + listOf(call, 8, 2) + ", " +
           listOf(call, 0, 4) + ";\n\tmov.b32 \t" + call.result + ", " +
           resultOf(0) + ";\n";
  }
  if (call.name == nextOfFragmentsName && call.arguments.size() == 1)
    return "\tmov.b32 \t" + call.result + ", " + results + call.arguments[0] +
           ";\n";
  return {};
}

/// Whether a line declares one of the functions that stand for instructions.
static bool declaresCall(const std::string &line) {
  return startsWith(line, ".extern .func") &&
         (line.find(multiplyFragmentsName) != std::string::npos ||
          line.find(nextOfFragmentsName) != std::string::npos);
}

static std::string withInstructions(const std::string &ptx) {
  std::istringstream lines(ptx);
  std::string text, line;
  while (std::getline(lines, line)) {
    if (declaresCall(line)) {
      while (line != ";" && std::getline(lines, line)) {
      }
      continue;
    }
    if (line == "{") // the body of a function
      line += "\n\t.reg .b32 \t" + std::string(results) + "<" +
              std::to_string(resultCount) + ">;";
    if (!startsWith(line, "\t{ // callseq ")) {
      text += line + "\n";
      continue;
    }
    std::string whole = line + "\n";
    std::vector<std::string> own;
    while (std::getline(lines, line) && !startsWith(line, "\t} // callseq ")) {
      own.push_back(line);
      whole += line + "\n";
    }
    const std::string made = instructionsFor(callOf(own));
    text += made.empty() ? whole + line + "\n" : made;
  }
  for (const char *name :
       {multiplyFragmentsName, nextOfFragmentsName, dotOfFragmentsName})
    if (text.find(name) != std::string::npos)
      throw std::runtime_error("calls of " + std::string(name) +
                               " remain in PTX");
  return text;
}

Halide::Module withFragmentInstructions(const Halide::Module &module) {
  return withDeviceText(module, withInstructions);
}

} // namespace transfold::kernels
