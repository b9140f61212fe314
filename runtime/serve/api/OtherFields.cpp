// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of the fields that OpenAI's and other servers have, with the values
// for which the answer of this server is right.

#include "runtime/serve/api/OtherFields.h"

#include "base/text/JsonText.h"
#include "base/text/NearestName.h"
#include "runtime/chat/values/Value.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

constexpr auto chats = static_cast<unsigned>(BodyKind::Chat),
               texts = static_cast<unsigned>(BodyKind::Completion),
               vectors = static_cast<unsigned>(BodyKind::Embeddings),
               scores = static_cast<unsigned>(BodyKind::Rerank),
               made = chats | texts, all = made | vectors | scores;

/// Fields that never change the answer: they concern the user, the logging, the
/// scheduling, or caching.
struct IdleField {
  unsigned kinds;
  std::string_view name;
};
constexpr IdleField idleFields[] = {
    {all, "user"},
    {all, "metadata"},
    {all, "store"},
    {all, "service_tier"},
    {all, "safety_identifier"},
    {all, "priority"},
    {all, "request_id"},
    {made, "prompt_cache_key"},
    {made, "prompt_cache_retention"},
    {made, "cache_prompt"},
    {made, "cache_salt"},
    {chats, "prediction"},
};

constexpr const char *isUnsupported = "is not supported.",
                     *isOlder = "is not supported; use 'tools'.";

/// Fields that are accepted only if their value is one of `values` (JSON), the
/// values that describe what the server does anyway.
struct SettledField {
  unsigned kinds;
  const char *name, *values, *why;
};
constexpr SettledField settledFields[] = {
    {chats, "best_of", "[1]", "only 1 is supported; use 'n'."},
    {chats, "functions", "[[]]", isOlder},
    {chats, "function_call", R"(["none", "auto"])", isOlder},
    {chats, "modalities", R"([["text"]])", "only [\"text\"] is supported."},
    {chats, "verbosity", R"(["medium"])", "only \"medium\" is supported."},
    {chats, "echo", "[false]", isUnsupported},
    {texts, "suffix", R"([""])", isUnsupported},
    // Fields of other servers, in addition to OpenAI's.
    {chats, "add_generation_prompt", "[true]", "a new answer is always begun."},
    {chats, "continue_final_message", "[false]", isUnsupported},
    {chats, "add_special_tokens", "[false]",
     "the template defines the special tokens."},
    {texts | vectors | scores, "add_special_tokens", "[true]",
     "they are always added to each text."},
    {made, "skip_special_tokens", "[true]", "they are never returned."},
    {made, "spaces_between_special_tokens", "[true]", isUnsupported},
    {made, "include_stop_str_in_output", "[false]", isUnsupported},
    {made, "return_tokens_as_token_ids", "[false]", isUnsupported},
    {made, "return_token_ids", "[false]", isUnsupported},
    {made, "stop_token_ids", "[[]]", "is not supported; use 'stop'."},
    {made, "bad_words", "[[]]", isUnsupported},
    {made, "min_tokens", "[0]", "is not supported; use ignore_eos."},
    {made, "use_beam_search", "[false]", isUnsupported},
    {made, "length_penalty", "[1]", isUnsupported},
    {made, "typical_p", "[1]", isUnsupported},
};

/// Names that other servers use for fields that exist here; very similar names
/// need no entry.
constexpr std::pair<std::string_view, std::string_view> otherWords[] = {
    {"repeat_penalty", "repetition_penalty"},
    {"n_predict", "max_tokens"},
    {"num_predict", "max_tokens"},
    {"max_new_tokens", "max_tokens"},
    {"max_length", "max_tokens"},
    {"max_completion_tokens", "max_tokens"},
    {"n_probs", "logprobs"},
    {"top_logprobs", "logprobs"},
    {"stop_sequences", "stop"},
    {"enable_thinking", "chat_template_kwargs"},
    {"reasoning_effort", "chat_template_kwargs"},
    {"truncate_prompt_tokens", "truncate"},
    {"texts", "input"},
    {"texts", "documents"},
    {"passages", "documents"},
};

/// Whether a value describes what the server does anyway.
bool isHarmless(const SettledField &field, const ordered_json &value) {
  return std::ranges::any_of(
      parseJsonText(field.values, JsonLimits()),
      [&](const ordered_json &each) { return each == value; });
}

} // namespace

ApiError unknownField(std::string_view name,
                      const std::set<std::string_view> &known) {
  std::string_view near = nearestName(name, known);
  for (const auto &[word, meant] : otherWords)
    if (name == word && known.contains(meant))
      near = meant;
  std::string own = chat::shown(name);
  std::string meant =
      near.empty() ? "" : fmt::format(" Did you mean '{}'?", near);
  return badRequest(fmt::format("There is no field '{}'.{}", own, meant), own);
}

void checkOtherFields(const Fields &fields, BodyKind kind) {
  const auto own = static_cast<unsigned>(kind);
  std::set<std::string_view> known = fields.known();
  for (const IdleField &field : idleFields)
    if (field.kinds & own)
      known.insert(field.name);
  for (const SettledField &field : settledFields) {
    if (!(field.kinds & own))
      continue;
    known.insert(field.name);
    const ordered_json *value = fields.find(field.name);
    if (value && !isHarmless(field, *value))
      throw badRequest(fmt::format("'{}': {}", field.name, field.why),
                       field.name);
  }
  for (std::string_view name : fields.names())
    if (!known.contains(name))
      throw unknownField(name, known);
}

} // namespace transfold::runtime::serve
