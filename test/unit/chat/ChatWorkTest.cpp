// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of templates: everything that takes time counts as work, work
// grows with the text, allocated values count as memory, and a rendering can be
// interrupted.

#include "base/Error.h"
#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/Inputs.h"
#include "test/unit/chat/ChatUses.h"

#include <gtest/gtest.h>

#include <ctime>

using namespace transfold;
using namespace runtime::chat;
using test::templateOf, test::two, test::uses;

namespace {

struct Cost {
  size_t steps = 0, held = 0;
  std::string text;
};

Cost costOf(std::string_view source, const nlohmann::ordered_json &messages,
            const Limits &limits = {}) {
  auto program = chat::compileTemplate(source, "t");
  Conversation conversation;
  conversation.messages = messages;
  Budget budget(limits);
  Budget::Use use(budget);
  auto inputs = inputsOf(program, conversation);
  size_t before = budget.stepsSoFar();
  Text text =
      Interpreter(program, std::move(inputs), std::tm{}, budget).render();
  return {budget.stepsSoFar() - before, budget.mostHeld(),
          std::string(text.view())};
}

std::string problem(std::string_view source, const Limits &limits = {}) {
  try {
    costOf(source, two(8), limits);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

} // namespace

TEST(ChatWork, AllThatCostsTimeIsCounted) {
  constexpr size_t size = 1 << 16;
  auto once = two(size), twice = two(2 * size);
  for (std::string_view use : uses) {
    std::string source = templateOf(use);
    size_t few = costOf(source, once).steps, more = costOf(source, twice).steps;
    // An index and the first words do not need the whole text.
    bool isEarly = use.find("[100]") != use.npos || use == "a | first" ||
                   use == "a | truncate(20)" || use == "a % ()" ||
                   use == "a | int" || use == "a | float" ||
                   use == "a is upper" || use == "a.isalpha()" ||
                   use == "a.isspace() or a.islower()" || use == "a | trim" ||
                   use == "a.lstrip()" || use == "a.split(none, 1)";
    EXPECT_LE(more, 5 * few / 2 + 100) << use;
    if (!isEarly)
      EXPECT_GE(more - few, size / Budget::bytesOfStep / 2) << use;
  }
}

TEST(ChatWork, AnEndComesWithinTheLimit) {
  for (const char *use :
       {"s == t", "s | length", "s.count('b')", "s.upper()", "s[-1]",
        "s.startswith(t)", "s.strip('a')", "d[t]", "t in d", "s ~ 'x'",
        "s.split()", "s.find('b')", "s | tojson", "s < t", "[s] | sort"}) {
    std::string source = "{% set s = 'a' * 1000000 %}{% set t = 'a' * 1000000 "
                         "%}{% set d = {s: 1} %}{% for i in range(100000) %}"
                         "{% set x = " +
                         std::string(use) + " %}{% endfor %}x";
    EXPECT_NE(problem(source, {.steps = 2'000'000})
                  .find("runs for more than 2000000 steps"),
              std::string::npos)
        << use;
  }
}

TEST(ChatWork, WhatIsHeldIsCounted) {
  // 301 messages of 600 kB, whose text is concatenated: 90 MB of copies, few of
  // which are alive at a time.
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  for (int i = 0; i < 301; ++i)
    messages.push_back({{"role", "user"}, {"content", std::string(2000, 'x')}});
  Cost cost =
      costOf("{% set ns = namespace(out='') %}{% for m in messages %}{% "
             "set ns.out = ns.out + '<' + m.role + '>' %}{% set ns.out "
             "= ns.out + m.content %}{% endfor %}{{ ns.out }}",
             messages);
  EXPECT_EQ(cost.text.size(), 301U * 2006U);
  EXPECT_LT(cost.held, 6U << 20);
  // The memory in use at a time is limited, including the origins of characters
  // and containers.
  const Limits few{.bytes = 8 << 20};
  for (const char *source :
       {"{{ (['a' * 10000] * 10000) | join('b' * 10000) | length }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x "
        "= [ns.x, i] | sum(start=[]) if false else ns.x + [i] %}{% endfor %}",
        "{{ range(100000) | list | map('string') | list | length }}",
        "{% set x = 'a' * 9000000 %}",
        "{{ ('a b ' * 100000).split() | length }}", "{{ [0] * 1000000 }}",
        "{{ ('a' * 1000000) | list | length }}",
        "{% set ns = namespace() %}{% for i in range(100000) %}{% set ns.x = "
        "namespace(x='a' * 100) %}{% endfor %}",
        "{{ 'a' * 99999999999 }}", "{{ 'a'.center(99999999999) }}",
        "{{ '%99999d' * 1000 % 1 }}", "{{ 'a'.ljust(100000000) }}"})
    EXPECT_NE(problem(source, few), "none") << source;
  EXPECT_NE(problem("{% set x = 'a' * 9000000 %}", few)
                .find("holds more than 8 MiB of texts and lists"),
            std::string::npos);
  // Loops release the values that they have passed.
  EXPECT_EQ(problem("{% for i in range(300) %}{% for j in range(1000) %}{% "
                    "endfor %}{% endfor %}",
                    few),
            "none");
}

TEST(ChatWork, ARenderingCanBeEnded) {
  struct Ended {};
  size_t looks = 0;
  Limits limits;
  limits.look = [&] {
    if (++looks == 3)
      throw Ended();
  };
  EXPECT_THROW(costOf("{% for i in range(100000) %}{% for j in range(100000) "
                      "%}{% endfor %}{% endfor %}",
                      two(8), limits),
               Ended);
  EXPECT_EQ(looks, 3U);
  looks = 0;
  EXPECT_THROW(costOf("{% set s = 'a' * 5000000 %}{% for i in range(1000) %}{% "
                      "if s.upper() %}{% endif %}{% endfor %}",
                      two(8), limits),
               Ended);
}
