// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the runtime that only some tasks need: chat templates, the queue of
// a server for recordings, beam search. An executable refers to the parts that
// its model's tasks need, in a list that the compiler writes
// (compiler/host/emit/EmitProgram.h), and the linker leaves the others out:
// they would be a third of the executable of a model that embeds texts.

#pragma once

#include "runtime/commands/CommandSet.h"

#include <memory>

namespace transfold::runtime::inline commands {

struct BenchOptions;

namespace serve {
class Endpoint;
struct ServedProgram;
} // namespace serve

/// What a part adds to a program that contains it. Functions may be null.
struct ProgramPart {
  /// Declares the commands of the part that the program supports.
  void (*addCommands)(CommandSet &commands);
  /// The endpoint of the part; null if the program does not support it.
  std::unique_ptr<serve::Endpoint> (*makeEndpoint)(
      const serve::ServedProgram &served) = nullptr;
  /// Measures prefill and decoding.
  void (*benchGenerate)(Session &session,
                        const BenchOptions &options) = nullptr;
};

extern "C" {
extern const ProgramPart transfold_part_texts;       // embed, classify, …
extern const ProgramPart transfold_part_recordings;  // transcribe
extern const ProgramPart transfold_part_generation;  // generate
extern const ProgramPart transfold_part_translation; // translate
extern const ProgramPart transfold_part_chat;        // chat

/// The parts of this executable, in the order of their commands, and null. The
/// compiler defines it; an object that is linked by other means gets all parts
/// (AllParts.cpp).
extern const ProgramPart *const transfold_program_parts[];
}

/// Without the null at the end.
std::span<const ProgramPart *const> partsOf(const ProgramPart *const *list);

} // namespace transfold::runtime::inline commands
