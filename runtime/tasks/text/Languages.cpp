// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of a task, and finds languages by their codes, which users
// may write in another case.

#include "runtime/tasks/text/Languages.h"

#include "base/Error.h"
#include "base/text/EditDistance.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::runtime::inline tasks {

bool isSameCode(std::string_view a, std::string_view b) {
  auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Languages::Languages(const Task &task) {
  const nlohmann::ordered_json &options = task.options;
  auto listed = options.find("languages");
  if (listed != options.end() && listed->is_object())
    for (const auto &[code, token] : listed->items()) {
      if (!token.is_number_unsigned() || token.get<uint64_t>() > INT32_MAX)
        fail("the program's metadata is damaged: language '{}' has no token",
             code);
      tokens.emplace(code, static_cast<int32_t>(token.get<uint64_t>()));
    }
  auto placeOf = [&](const char *name) {
    auto found = options.find(name);
    return found != options.end() && found->is_string()
               ? found->get<std::string>()
               : "";
  };
  source = placeOf("source_language") == "source";
  targetInSource = placeOf("target_language") == "source";
}

bool Languages::isLanguage(int32_t token) const {
  return std::ranges::any_of(
      tokens, [&](const auto &each) { return each.second == token; });
}

std::string Languages::some() const {
  constexpr size_t most = 12;
  std::vector<std::string_view> codes;
  for (const auto &[code, token] : tokens)
    if (codes.size() < most)
      codes.push_back(code);
  return tokens.size() <= most
             ? fmt::format("{}", fmt::join(codes, ", "))
             : fmt::format("{}, … ({})", fmt::join(codes, ", "), tokens.size());
}

int32_t Languages::token(const std::string &code) const {
  if (auto found = tokens.find(code); found != tokens.end())
    return found->second;
  auto isMeant = [&](const auto &each) { return isSameCode(each.first, code); };
  if (std::ranges::count_if(tokens, isMeant) == 1)
    return std::ranges::find_if(tokens, isMeant)->second;
  constexpr size_t most = 4, longest = 64;
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const auto &[each, token] : tokens)
    near.emplace_back(editDistance(std::string_view(code).substr(0, longest),
                                   std::string_view(each)) +
                          (code.substr(0, 2) == each.substr(0, 2) ? 0 : 1),
                      each);
  std::ranges::sort(near);
  near.resize(std::min(near.size(), most));
  std::vector<std::string_view> names;
  for (const auto &[difference, each] : near)
    names.push_back(each);
  fail("the model has no language '{}'; nearest to it {} {}, of {}", code,
       names.size() == 1 ? "is" : "are", fmt::join(names, ", "), tokens.size());
}

} // namespace transfold::runtime::inline tasks
