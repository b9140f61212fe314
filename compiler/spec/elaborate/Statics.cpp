// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of static values only: queries of the container, and functions that
// take texts and lists apart.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace transfold::spec {

void Elaborator::needArguments(size_t least, size_t most,
                               const std::string &what, size_t given,
                               const Expr &expr) {
  if (given >= least && given <= most)
    return;
  std::string count = std::to_string(most);
  if (least < most)
    count =
        fmt::format("{} {} {}", least, most == least + 1 ? "or" : "to", most);
  throw SpecError(Code::ArgumentCount, expr.at,
                  fmt::format("{} takes {} argument{}, but has {}", what, count,
                              most == 1 ? "" : "s", given),
                  {}, expr.range);
}

/// Keys may be absent, but those that are present must agree: a library cannot
/// know which of two spellings a model's authors use.
Value Elaborator::either(const Arguments &arguments, const Expr &expr) {
  StaticValue chosen;
  std::vector<std::string> absent; // keys
  for (const Value &argument : arguments) {
    if (!argument.statics())
      throw SpecError(Code::NotStatic, expr.at, "`either` is for static values",
                      {}, expr.range);
    const StaticValue &value = *argument.statics();
    if (value.isUnknown())
      return StaticValue::unknown();
    if (value.isNone()) {
      for (const std::string &key : value.absentKeys())
        absent.push_back(key);
      continue;
    }
    if (chosen.isNone()) {
      chosen = value;
      continue;
    }
    auto same = equal(chosen, value);
    if (same && !*same) {
      std::vector<std::string> notes;
      for (size_t k = 0; k < arguments.size(); ++k)
        notes.push_back(fmt::format("{} is {}",
                                    spec::text(*expr.operands[k + 1]),
                                    arguments[k].statics()->str()));
      throw SpecError(Code::SpellingsDisagree, expr.at,
                      "two spellings of one fact disagree", notes, expr.range);
    }
  }
  if (chosen.isNone() && !absent.empty())
    return noneOf(std::move(absent));
  return chosen;
}

/// one_of(value, "a", "b"): checks that the value is one of these words or a
/// list of them, and returns it; `none` stays `none`.
static Value oneOf(const Arguments &arguments, const Expr &expr) {
  std::vector<std::string> words;
  for (const Value &argument : arguments) {
    const StaticValue *value = argument.statics();
    bool isWord = &argument == &arguments.front() || (value && value->text());
    if (!value || !isWord)
      throw SpecError(
          Code::ArgumentKind, expr.at,
          "`one_of` takes a static value and the texts that it may be", {},
          expr.range);
    if (&argument != &arguments.front())
      words.push_back(*value->text());
  }
  const StaticValue &value = *arguments.front().statics();
  std::vector<StaticValue> given{value};
  if (value.list())
    given = **value.list();
  for (const StaticValue &each : given) {
    bool isKnown = each.isNone() || each.isUnknown() ||
                   (each.text() && std::ranges::count(words, *each.text()));
    if (isKnown)
      continue;
    std::string near =
        each.text() ? nearest(*each.text(), {words.begin(), words.end()}) : "";
    std::vector<std::string> notes{
        fmt::format("{} is {}", spec::text(*expr.operands[1]),
                    value.toJson().dump()),
        fmt::format(
            "Known values are \"{}\"; for any other an equation is missing.",
            fmt::join(words, "\", \""))};
    throw SpecError(Code::UnknownWord, expr.at,
                    fmt::format("the spec does not know {}{}",
                                each.toJson().dump(),
                                near.empty() ? ""
                                             : fmt::format("; did you mean "
                                                           "\"{}\"?",
                                                           near)),
                    notes, expr.range);
  }
  return value;
}

/// Splits a text into lower-case pieces without blanks: "a | B" → ["a", "b"].
static StaticValue splitText(const StaticValue &value,
                             const std::string &separator) {
  if (value.list() || value.isUnknown())
    return value;
  auto pieces = std::make_shared<std::vector<StaticValue>>();
  if (auto *text = value.text(); text && !separator.empty()) {
    std::string lower = *text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    for (size_t begin = 0; begin <= lower.size();) {
      size_t end = std::min(lower.find(separator, begin), lower.size());
      std::string piece = lower.substr(begin, end - begin);
      piece.erase(0, piece.find_first_not_of(' '));
      piece.erase(piece.find_last_not_of(' ') + 1);
      pieces->push_back(StaticValue(piece));
      begin = end + separator.size();
    }
  } else if (!value.isNone()) {
    throw std::domain_error(
        fmt::format("`split` needs a text, but has {}", value.kind()));
  }
  return StaticValue(List(pieces));
}

StaticValue Elaborator::sameTensors(const std::string &tensor,
                                    const StaticValue &other) {
  if (other.isUnknown())
    return StaticValue::unknown();
  if (!other.text())
    throw std::domain_error(
        fmt::format("`same` needs two texts, but has {}", other.kind()));
  return configuration.same(tensor, *other.text());
}

/// All of them need values that are known at compile time. An unknown argument,
/// without a checkpoint, gives an unknown result.
std::optional<Value> Elaborator::containerFunction(const std::string &name,
                                                   CallArguments &arguments,
                                                   const Expr &expr) {
  const Arguments &values = arguments.values;
  using Ask = StaticValue (Configuration::*)(const std::string &);
  static const std::map<std::string, Ask> asked = {
      {"exists", &Configuration::exists}, {"shape", &Configuration::shape},
      {"format", &Configuration::format}, {"value", &Configuration::value},
      {"count", &Configuration::count},   {"token", &Configuration::token},
      {"codes", &Configuration::codes},   {"file", &Configuration::file}};
  static const std::set<std::string> others = {"error",  "length", "split",
                                               "either", "same",   "one_of"};
  if (!asked.count(name) && !others.count(name))
    return std::nullopt;
  for (size_t k = 0; k < values.size(); ++k)
    if (values[k].statics())
      needKnown(*values[k].statics(), *arguments.exprs[k]);
  if (name == "either")
    return either(values, expr);
  if (name == "one_of") {
    constexpr size_t mostWords = 1000;
    needArguments(2, mostWords, "`one_of`", values.size(), expr);
    return oneOf(values, expr);
  }
  size_t count = name == "split" || name == "same" ? 2 : 1;
  needArguments(count, count, fmt::format("`{}`", name), values.size(), expr);
  for (const Value &value : values)
    if (!value.statics())
      throw SpecError(Code::NotStatic, expr.at,
                      fmt::format("`{}` is for static values, but this is {}",
                                  name, kindOf(value)),
                      {}, expr.range);
  const StaticValue &first = *values[0].statics();
  if (name == "length") {
    if (first.isUnknown())
      return StaticValue::unknown();
    if (first.list())
      return StaticValue(int64_t((*first.list())->size()));
    throw std::domain_error(
        fmt::format("`length` needs a list, but has {}", first.kind()));
  }
  if (name == "split") {
    const StaticValue &separator = *values[1].statics();
    if (!separator.text())
      throw std::domain_error("`split` needs a text to split at");
    return splitText(first, *separator.text());
  }
  if (first.isUnknown())
    return StaticValue::unknown();
  if (!first.text())
    throw std::domain_error(
        fmt::format("`{}` needs a text, but has {}", name, first.kind()));
  const std::string &text = *first.text();
  if (name == "error")
    throw SpecError(Code::Refused, expr.at, text);
  if (name == "same")
    return sameTensors(text, *values[1].statics());
  return (configuration.*asked.at(name))(text);
}

} // namespace transfold::spec
