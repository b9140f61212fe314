// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/StringRules.h"

#include "base/text/Unicode.h"
#include "runtime/constrain/automaton/JsonString.h"
#include "runtime/constrain/automaton/Regex.h"
#include "runtime/constrain/schema/Formats.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

StringRules::StringRules(const SchemaDocument &document, const Conjunction &all)
    : document(document) {
  for (SubschemaId id : all) {
    if (auto count = document.count(id, "minLength"))
      shortest = std::max(shortest, *count);
    if (auto count = document.count(id, "maxLength"))
      longest = std::min(longest, *count);
    if (const std::string *regex = document.text(id, "pattern"))
      patterns.push_back({id, "pattern", *regex});
    if (const std::string *format = document.text(id, "format")) {
      const std::string_view regex = regexOfFormat(*format);
      if (!regex.data())
        document.refuse(id, "format",
                        fmt::format("is '{}', which is not supported",
                                    format->substr(0, 40)));
      if (!regex.empty())
        patterns.push_back({id, "format", fmt::format("^(?:{})$", regex)});
    }
  }
}

Dfa anyTexts(ConstraintBudget &budget) {
  return regexDfa("[^]*", TextForm::Json, RegexMatch::Whole, budget);
}

Dfa patternTexts(const SchemaDocument &document, SubschemaId id,
                 const char *keyword, const std::string &regex,
                 ConstraintBudget &budget) {
  try {
    return regexDfa(regex, TextForm::Json, RegexMatch::Part, budget);
  } catch (const Error &error) {
    document.refuse(id, keyword, error.what());
  }
}

Dfa StringRules::ofPatterns(ConstraintBudget &budget) const {
  Dfa result;
  for (const Pattern &each : patterns) {
    Dfa mine =
        patternTexts(document, each.id, each.keyword, each.regex, budget);
    result = &each == patterns.data() ? std::move(mine)
                                      : Dfa::intersect(result, mine, budget);
  }
  return result;
}

Dfa StringRules::texts(ConstraintBudget &budget) const {
  Dfa result = isFree() ? anyTexts(budget) : ofPatterns(budget);
  if (shortest == 0 && longest == unlimited)
    return result;
  const Dfa character =
      regexDfa("[^]", TextForm::Json, RegexMatch::Whole, budget);
  return Dfa::limitWords(result, character, shortest, longest, budget);
}

bool StringRules::admits(const std::string &text,
                         ConstraintBudget &budget) const {
  const size_t length = decodeUtf8(text).size();
  return length >= shortest && length <= longest &&
         (isFree() || ofPatterns(budget).matches(jsonText(text)));
}

bool StringRules::isDisjointFrom(const StringRules &other,
                                 ConstraintBudget &budget) const {
  if (longest < other.shortest || other.longest < shortest)
    return true;
  return !isFree() && !other.isFree() &&
         Dfa::intersect(ofPatterns(budget), other.ofPatterns(budget), budget)
             .isEmpty();
}

} // namespace transfold::runtime::inline constrain
