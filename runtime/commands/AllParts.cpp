// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of parts of executables for which the compiler has not made one: a
// linker takes this member of libtransfold-main.a only if no object defines the
// list.

#include "runtime/commands/ProgramParts.h"

using namespace transfold::runtime;

extern "C" const ProgramPart *const transfold_program_parts[] = {
    &transfold_part_texts,      &transfold_part_recordings,
    &transfold_part_generation, &transfold_part_translation,
    &transfold_part_chat,       nullptr};
