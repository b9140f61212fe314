// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options of tasks may be. They come from configurations that others
// wrote, and a program acts on them when nobody looks any more.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_TASKOPTIONS_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_TASKOPTIONS_H

#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/StaticValue.h"

#include <set>
#include <string>
#include <string_view>

namespace transfold::spec {

/// Options that are a token or a list of tokens, of tasks that make tokens.
inline constexpr std::string_view tokenOptions[] = {
    "start", "stop", "first", "last", "suppress", "suppress_first"};
/// Options that say how their tokens are drawn where nobody else says it.
inline constexpr std::string_view samplingOptions[] = {
    "temperature", "top_k", "top_p", "min_p", "repetition_penalty"};
/// Options that are one token, of tasks that make the text of a recording.
inline constexpr std::string_view speechTokens[] = {
    "times", "without_times", "no_speech", "transcribe", "translate"};
/// Others of them: tokens of languages, the only language, seconds, and a
/// number of steps.
inline constexpr std::string_view speechOptions[] = {
    "languages", "language", "time_step", "latest_begin"};

std::set<std::string> taskKinds();
/// All options that a task of that kind can have.
std::set<std::string> optionsOfTask(const std::string &kind);

/// Throws SpecError where `option` of a task has a value that it cannot have:
/// tokens are those that `last`, the last of the task's entries, knows. `path`
/// is the checkpoint's, empty without one.
void checkTaskOption(const TaskInfo &task, const EntryInfo &last,
                     const Definition &option, const StaticValue &value,
                     const std::string &path);

/// Throws SpecError where `last`, the last of the task's entries, does not give
/// what the task reads.
void checkTaskNeeds(const Task &task, const EntryInfo &last);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_TASKOPTIONS_H
