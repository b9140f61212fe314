// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What values the options of tasks may have. They come from configurations by
// other authors, and the compiled program applies them without further checks.

#pragma once

#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/StaticValue.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <array>
#include <set>
#include <string>
#include <string_view>

namespace transfold::spec {

/// Options that are a token or a list of tokens, of tasks that make tokens.
inline constexpr std::string_view tokenOptions[] = {
    "start", "stop", "first", "last", "suppress", "suppress_first"};
/// Options that control sampling unless a request overrides them.
inline constexpr auto samplingOptions = std::apply(
    [](const auto &...field) {
      return std::array<std::string_view, sizeof...(field)>{field.name...};
    },
    runtime::samplingFields);
/// Options that are one token, of tasks that produce the text of a recording.
inline constexpr std::string_view speechTokens[] = {
    "times", "without_times", "no_speech", "transcribe", "translate"};
/// Further options of these tasks: tokens of languages, the only language,
/// seconds, and a number of steps.
inline constexpr std::string_view speechOptions[] = {
    "languages", "language", "time_step", "latest_begin"};

/// The names of all kinds of tasks.
std::set<std::string> taskKinds();
/// All options that a task of that kind may have.
std::set<std::string> optionsOfTask(const std::string &kind);

/// Throws SpecError if `option` of a task has an invalid value: tokens must be
/// in the vocabulary of `last`, the last of the task's entries. `path` is that
/// of the checkpoint, empty without one.
void checkTaskOption(const TaskInfo &task, const EntryInfo &last,
                     const Definition &option, const StaticValue &value,
                     const std::string &path);

/// Throws SpecError if `last`, the last of the task's entries, does not have
/// the result that the task reads.
void checkTaskNeeds(const Task &task, const EntryInfo &last);

} // namespace transfold::spec
