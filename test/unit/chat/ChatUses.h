// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses of texts in templates, of any cost.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace transfold::test {

/// Two equal messages of so many bytes.
inline nlohmann::ordered_json two(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i)
    text += i % 7 == 0 ? "\u00e9 " : i % 5 == 0 ? "Ab\n" : "ab ";
  return {{{"role", "user"}, {"content", text}},
          {{"role", "user"}, {"content", text}}};
}

inline constexpr std::string_view uses[] = {
    "a == b",
    "a != b",
    "a < b",
    "a <= b",
    "a in b",
    "b not in a",
    "a is eq(b)",
    "a is in [b]",
    "a | length",
    "a | upper",
    "a | lower",
    "a | capitalize",
    "a | title",
    "a | trim",
    "a | trim('ab ')",
    "a | replace('a', 'xy')",
    "a | replace('', '-')",
    "a | escape",
    "a | indent",
    "a | tojson",
    "a | tojson(ensure_ascii=true)",

    "a | wordcount",
    "a | list",
    "a | reverse",
    "a | string",
    "a ~ b",
    "a + b",
    "a * 2",
    "a[1:]",
    "a[:-1]",
    "a[::2]",
    "a[-1]",
    "a[100]",
    "a | first",
    "a | int",
    "a | float",
    "[a, b] | join(a)",
    "[b, a] | sort",
    "[a, b] | min",
    "[a, b] | unique | list",
    "{a: 1}",
    "{a: 1}[b]",
    "{a: 1}.get(b)",
    "b in {a: 1}",
    "[a].index(b)",
    "[a, b].count(b)",
    "a.upper()",
    "a.title()",
    "a.swapcase()",
    "a.strip()",
    "a.strip('a b')",
    "a.lstrip()",
    "a.split()",
    "a.split(none, 1)",
    "a.rsplit()",
    "a.rsplit(none, 9)",
    "a.split('a')",
    "a.rsplit('b')",
    "a.split('zz')",
    "a.splitlines()",
    "a.startswith(b)",
    "a.endswith(b)",
    "a.startswith((b, b))",
    "a.find('zz')",
    "a.find(b)",
    "a.rfind('zz')",
    "a.rfind(b, 1)",
    "a.count('a')",
    "a.count('')",
    "a.replace('b', '')",
    "a.isalpha()",
    "(a * 2).isprintable()",
    "a.isspace() or a.islower()",
    "a.center(a | length + 10)",
    "a.zfill(9)",
    "a.expandtabs()",
    "a.partition('zz')",
    "a.rpartition('zz')",
    "a.removeprefix(b)",
    "a.removesuffix(b)",
    "'{}'.format(a)",
    "a.format(b)",
    "'%s' % a",
    "a % ()",
    "'%r' % a",
    "a.join('xyz')",
    "'-'.join([a, b])",
    "a | batch(3) | list",
    "a | map('upper') | join",
    "a | select | list",
    "a | groupby(0) | length",
    "a | truncate(20)",

    "a is upper",
    "('x' ~ a).rfind('x')",
    "('z' * (a | length)).rfind('zy')",
    "('z' * (a | length)).find('z' * 500 ~ 'y')",
};

/// A template that sets two texts and uses them.
inline std::string templateOf(std::string_view use) {
  return "{% set a = messages[0].content %}{% set b = messages[1].content %}"
         "{% set x = " +
         std::string(use) + " %}";
}

} // namespace transfold::test
