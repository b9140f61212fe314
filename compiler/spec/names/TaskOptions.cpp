// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the values of task options. Each check names what the option takes,
// with the value that was found and, if it comes from a checkpoint, the file to
// correct.

#include "compiler/spec/names/TaskOptions.h"

#include "compiler/spec/syntax/Diagnostic.h"
#include "runtime/steps/sampling/NumberRange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace transfold::spec {

namespace {

/// Throws SpecError for an option whose value is not `what`. `path` is that of
/// the checkpoint.
[[noreturn]] void refuse(const Definition &option, const StaticValue &value,
                         const std::string &what, const std::string &path,
                         std::vector<std::string> notes) {
  if (!path.empty())
    notes.push_back(fmt::format(
        "Correct it in {}, or write here what it should be.", path));
  const Range &range = option.value->range;
  throw SpecError(Code::OptionValue, range.begin,
                  fmt::format("option `{}` takes {}, not {}", option.name, what,
                              value.toJson().dump()),
                  notes, range);
}

/// The size of the vocabulary that an entry reads, or that it has logits for;
/// nullopt if unknown.
std::optional<int64_t> tokensRead(const EntryInfo &entry) {
  for (const ArgumentInfo &argument : entry.arguments)
    if (argument.integer && argument.bound)
      return argument.bound;
  return std::nullopt;
}
/// The number of tokens for which the entry has logits: the last axis of its
/// first result.
std::optional<int64_t> tokensMade(const EntryInfo &entry) {
  if (entry.results.empty() || entry.results[0].shape.empty())
    return std::nullopt;
  return entry.results[0].shape.back().asNumber();
}

/// The first result with its shape, for messages: "logits[n, 32000]".
std::string resultText(const EntryInfo &entry) {
  std::vector<std::string> sizes;
  for (const Dim &size : entry.results[0].shape)
    sizes.push_back(size.str());
  return fmt::format("{}[{}]", entry.results[0].name, fmt::join(sizes, ", "));
}

/// Checks a token or a list of tokens.
void checkTokens(const EntryInfo &last, const Definition &option,
                 const StaticValue &value, const std::string &path) {
  if (value.toJson().empty()) // none, [] and {}
    return;
  bool begins = option.name == "start";
  std::optional<int64_t> known = begins ? tokensRead(last) : tokensMade(last);
  auto check = [&](const StaticValue &token) {
    if (token.isUnknown())
      return;
    auto number = token.asInteger();
    if (number && *number >= 0 && *number <= INT32_MAX &&
        (!known || *number < *known))
      return;
    std::vector<std::string> notes;
    if (known)
      notes.push_back(fmt::format(
          "They are 0 to {}: `{}` {}. Write one, a list, or {{}} for none.",
          *known - 1, last.name,
          begins ? fmt::format("looks them up in {} rows", *known)
                 : "gives " + resultText(last)));
    refuse(option, token, "tokens of this model", path, std::move(notes));
  };
  if (!value.list())
    return check(value);
  for (const StaticValue &token : **value.list())
    check(token);
}

/// Checks a list of lists of tokens.
void checkWords(const EntryInfo &last, const Definition &option,
                const StaticValue &value, const std::string &path) {
  if (value.isNone())
    return;
  if (!value.list())
    refuse(option, value, "a list of lists of tokens", path, {});
  for (const StaticValue &word : **value.list()) {
    if (!word.list())
      refuse(option, word, "lists of tokens", path, {});
    checkTokens(last, option, word, path);
  }
}

/// Whether one of the lists in TaskOptions.h has the option.
bool isOneOf(std::span<const std::string_view> names, const std::string &name) {
  return std::ranges::find(names, name) != names.end();
}

/// Checks a record of language codes and tokens. For `transcribe` a list is
/// accepted too, because the texts of its language tokens contain the codes.
void checkLanguages(const TaskInfo &task, const EntryInfo &last,
                    const Definition &option, const StaticValue &value,
                    const std::string &path) {
  if (value.isNone() || (!value.isNumber() && value.toJson().empty()))
    return;
  bool mayBeList = task.kind == "transcribe";
  if (value.list() && mayBeList)
    return checkTokens(last, option, value, path);
  if (!value.record())
    refuse(option, value,
           mayBeList ? "tokens of languages, as a list or by their names"
                     : "a record of codes and tokens",
           path, {});
  const nlohmann::json tokens = value.toJson();
  for (const auto &[name, token] : tokens.items())
    checkTokens(last, option, fromJson(token, name), path);
}

/// Checks the options of a task that produces the text of a recording.
void checkSpeech(const EntryInfo &last, const Definition &option,
                 const StaticValue &value, const std::string &path) {
  if (value.isNone())
    return;
  if (isOneOf(speechTokens, option.name)) {
    if (value.list() || value.record())
      refuse(option, value, "one token", path, {});
    checkTokens(last, option, value, path);
  }
  if (option.name == "language" && !value.text())
    refuse(option, value, "the code of a language, such as \"en\"", path, {});
  if (option.name == "time_step" &&
      !(value.isNumber() && value.toDouble() > 0 && value.toDouble() < 60))
    refuse(option, value, "seconds, above 0 and below 60", path, {});
  auto number = value.asInteger();
  constexpr int64_t mostRate = 1 << 20;
  if (option.name == "rate" && (!number || *number < 1 || *number > mostRate))
    refuse(option, value, "samples a second, up to a million", path, {});
  if (option.name == "latest_begin" && (!number || *number < 0))
    refuse(option, value, "a number of steps", path, {});
}

/// Checks the options of a task that scores each frame of a recording.
void checkFrames(const EntryInfo &last, const Definition &option,
                 const StaticValue &value, const std::string &path) {
  if (value.isNone())
    return;
  if (option.name == "rate")
    checkSpeech(last, option, value, path);
  if (option.name == "blank") {
    if (value.list() || value.record())
      refuse(option, value, "one token", path, {});
    checkTokens(last, option, value, path);
  }
  if (option.name == "words") {
    if (!value.record())
      refuse(option, value, "a record of texts and their tokens", path, {});
    const nlohmann::json tokens = value.toJson();
    for (const auto &[text, token] : tokens.items())
      checkTokens(last, option, fromJson(token, text), path);
  }
  if (option.name == "delimiter" && !value.text())
    refuse(option, value, "a text", path, {});
  if (option.name == "window" &&
      !(value.isNumber() && value.toDouble() >= 1 && value.toDouble() <= 3600))
    refuse(option, value, "seconds, from 1 to 3600", path, {});
}

/// Checks that a value lies in `range`, and is an integer if `Number` is.
template <typename Number>
void checkRange(const Definition &option, const StaticValue &value,
                const runtime::NumberRange<Number> &range, const char *what,
                const std::string &path) {
  const bool isFit = std::is_integral_v<Number> ? value.asInteger().has_value()
                                                : value.isNumber();
  if (!isFit || !range.has(static_cast<Number>(value.toDouble())))
    refuse(option, value,
           fmt::format("{} from {} to {}", what, range.least, range.most), path,
           {});
}

/// Checks the sampling parameters that a server applies if a request does not
/// set them.
void checkSampling(const Definition &option, const StaticValue &value,
                   const std::string &path) {
  if (value.isNone())
    return;
  runtime::forEachSamplingField(
      [&]<typename Number>(const runtime::SamplingField<Number> &field,
                           size_t) {
        if (field.name == option.name)
          checkRange(option, value, field.range,
                     std::is_integral_v<Number> ? "a whole number" : "a number",
                     path);
      });
}

/// Checks an option that is one of a few texts, such as where the token of a
/// language goes.
void checkPlace(const Definition &option, const StaticValue &value,
                std::initializer_list<const char *> places,
                const std::string &path) {
  if (value.isNone() ||
      (value.text() &&
       std::ranges::find(places, *value.text()) != places.end()))
    return;
  refuse(option, value, fmt::format("\"{}\"", fmt::join(places, "\" or \"")),
         path, {});
}

} // namespace

void checkTaskOption(const TaskInfo &task, const EntryInfo &last,
                     const Definition &option, const StaticValue &value,
                     const std::string &path) {
  if (value.isUnknown())
    return;
  if (task.makesTokens() && isOneOf(tokenOptions, option.name))
    checkTokens(last, option, value, path);
  if (task.makesTokens() && isOneOf(samplingOptions, option.name))
    checkSampling(option, value, path);
  if (task.makesTokens())
    checkSpeech(last, option, value, path);
  if (task.makesTokens() && option.name == "languages")
    checkLanguages(task, last, option, value, path);
  if (task.makesTokens() && option.name == "exclude")
    checkWords(last, option, value, path);
  if (task.kind == "recognize")
    checkFrames(last, option, value, path);
  if (option.name == "source_language")
    checkPlace(option, value, {"source"}, path);
  if (option.name == "target_language")
    checkPlace(option, value, {"source", "first"}, path);
  if (option.name == "prompt" && !value.isNone() && !value.text())
    refuse(option, value, "a text", path, {});
  if (option.name == "scores")
    checkPlace(option, value, {"sigmoid", "identity"}, path);
  if (option.name == "max_tokens" && !value.isNone()) {
    auto number = value.asInteger();
    if (!number || *number < 1)
      refuse(option, value, "a number of tokens", path, {});
  }
}

} // namespace transfold::spec
