// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of templates and their places, limits that end endless templates, and
// which characters of a prompt come from a message.

#include "base/Error.h"
#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/Render.h"

#include <gtest/gtest.h>

using namespace transfold;

static runtime::chat::Text
rendered(std::string_view source,
         const runtime::chat::Conversation &conversation = {},
         const runtime::chat::Limits &limits = {}) {
  return runtime::chat::render(chat::compileTemplate(source, "t.jinja"),
                               conversation, std::tm{}, limits);
}

/// The error of a template when it is compiled or rendered.
static std::string problem(std::string_view source,
                           const runtime::chat::Limits &limits = {}) {
  try {
    rendered(source, {}, limits);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "none";
}

#define EXPECT_BEGINS(text, beginning)                                         \
  EXPECT_EQ(std::string(text).substr(0, std::string(beginning).size()),        \
            beginning)

/// The notes about a template when it is compiled: problems that it may reach.
static std::string noted(std::string_view source) {
  std::vector<std::string> notes;
  (void)chat::compileTemplate(source, "t.jinja", &notes);
  return notes.empty() ? "none" : notes[0];
}

TEST(ChatTemplate, UnknownNamesAreNoted) {
  EXPECT_EQ(noted("a\n  {{ x | shout }}"),
            "t.jinja:2:10: there is no filter 'shout'");
  EXPECT_EQ(noted("{{ x | uper }}"),
            "t.jinja:1:8: there is no filter 'uper'; did you mean 'upper'?");
  EXPECT_EQ(noted("{{ x is odd }}{{ 1 is prime }}"),
            "t.jinja:1:23: there is no test 'prime'");
  EXPECT_EQ(noted("{{ messages.append(1) }}"),
            "t.jinja:1:13: there is no method 'append'");
  EXPECT_EQ(noted("é{{ lipsum() }}"),
            "t.jinja:1:5: there is no function 'lipsum', and the template has "
            "no macro of that name");
  EXPECT_EQ(noted("{{ 'a'.split(',', 1, 2) | length(3) }}"),
            "t.jinja:1:27: 'length' takes at most 0 arguments, not 1");
  EXPECT_EQ(noted("{{ x | replace('a') }}"),
            "t.jinja:1:8: 'replace' needs 'new'");
  EXPECT_EQ(noted("{{ x | tojson(width=2) }}"),
            "t.jinja:1:8: 'tojson' has no parameter 'width'");
  EXPECT_EQ(noted("{{ x | upper }}{{ '{}'.format(x) }}"), "none");
}

/// The text of a template without variables.
std::string text(std::string_view source) {
  return std::string(rendered(source).view());
}

TEST(ChatTemplate, UnknownNamesFailWhereTheyAreReached) {
  EXPECT_EQ(text("{% if false %}{{ x | from_json }}{% endif %}a"), "a");
  EXPECT_EQ(text("{{ 'a' if true else x | from_json }}"), "a");
  EXPECT_EQ(text("{% if x is defined and x is prime %}{% endif %}a"), "a");
  EXPECT_EQ(text("{% if x %}{% set _ = x.append(1) %}{{ lipsum() }}"
                 "{% endif %}a"),
            "a");
  EXPECT_EQ(text("{% if false %}{{ 1 | length(3) }}{% endif %}a"), "a");
  EXPECT_BEGINS(problem("a\n  {{ x | shout }}"),
                "t.jinja:2:10: there is no filter 'shout'; there are abs,");
  EXPECT_BEGINS(problem("{{ 1 is prime }}"),
                "t.jinja:1:9: there is no test 'prime'; there are !=, <,");
  EXPECT_EQ(problem("{{ [].append(1) }}"),
            "t.jinja:1:13: 'append', which templates may not use, of a list "
            "is undefined, and cannot be called");
  EXPECT_EQ(problem("{{ 'a'.encode() }}"),
            "t.jinja:1:14: attribute 'encode' of str is undefined, and cannot "
            "be called");
  EXPECT_EQ(problem("{{ lipsum() }}"),
            "t.jinja:1:10: 'lipsum' is undefined, and cannot be called");
  EXPECT_EQ(problem("{{ x | replace('a') }}"),
            "t.jinja:1:8: 'replace' needs 'new'");
}

TEST(ChatTemplate, UnknownTagsAreRefused) {
  EXPECT_BEGINS(problem("{% import 'x' as y %}"),
                "t.jinja:1:4: there is no tag 'import'; templates can use");
}

TEST(ChatTemplate, WhatIsNoTemplateHasItsPlace) {
  EXPECT_EQ(problem("{{ x"), "t.jinja:1:1: the tag has no end; end it with }}");
  EXPECT_EQ(problem("{# x"),
            "t.jinja:1:1: the comment has no end; end it with #}");
  EXPECT_EQ(problem("{% raw %}"),
            "t.jinja:1:1: {% raw %} has no end; end it with {% endraw %}");
  EXPECT_EQ(problem("{{ 'x }}"), "t.jinja:1:4: the string has no end");
  EXPECT_EQ(problem("{{ 1 + }}"),
            "t.jinja:1:8: a value is expected here, but there is '}}'");
  EXPECT_EQ(problem("\n{% if x %}"),
            "t.jinja:2:11: {% endif %} is missing at the end of the template");
  EXPECT_EQ(problem("{% for x in y %}{% endif %}"),
            "t.jinja:1:20: there is no tag 'endif'; templates can use break, "
            "call, continue, filter, for, generation, if, macro, raw, set and "
            "with");
  EXPECT_EQ(problem("{% break %}"),
            "t.jinja:1:4: 'break' is outside of a loop");
  EXPECT_EQ(problem("{{ [1) }}"), "t.jinja:1:6: ')' closes nothing");
  EXPECT_EQ(problem("{{ a ? b }}"),
            "t.jinja:1:6: '?' is not part of an expression");
  EXPECT_BEGINS(problem("\xff"), "t.jinja: ");
}

TEST(ChatTemplate, ErrorsOfARenderingHaveTheirPlace) {
  EXPECT_EQ(problem("\n{{ raise_exception('no') }}"),
            "t.jinja:2:19: the template does not accept the conversation: no");
  EXPECT_EQ(
      problem("{{ nothing.role }}"),
      "t.jinja:1:12: 'nothing' is undefined, and has no attribute 'role'");
  EXPECT_EQ(problem("{{ 'a' + 1 }}"),
            "t.jinja:1:8: '+' is not defined between str and int");
  EXPECT_EQ(problem("{{ 1 // 0 }}"), "t.jinja:1:6: division by zero");
  EXPECT_EQ(problem("{{ 9223372036854775807 + 1 }}"), "none");
  EXPECT_EQ(problem("{{ 10 ** 40 }}"),
            "t.jinja:1:7: an integer is beyond 128 bits");
  EXPECT_EQ(problem("{{ 1" + std::string(40, '0') + " }}"),
            "t.jinja:1:4: an integer is beyond 128 bits");
}

TEST(ChatTemplate, WhitespaceIsControlled) {
  EXPECT_EQ(text("a\n  {% if true %}\n  b\n  {% endif %}\nc\n"), "a\n  b\nc");
  EXPECT_EQ(text("a {%- if true -%} b {%- endif +%}\nc"), "ab\nc");
  EXPECT_EQ(text("  {%+ if true %} b{% endif %}"), "   b");
  EXPECT_EQ(text("  {{- 'x' -}}  \n y"), "xy");
  EXPECT_EQ(text(" {# a #}\n b"), " b");
  EXPECT_EQ(text("a\r\nb\n\n"), "a\nb\n");
  EXPECT_EQ(text("{% raw %}\n{{ x }}\n {% endraw %}\n!"), "\n{{ x }}\n!");
}

TEST(ChatTemplate, TemplatesWithoutEndAreStopped) {
  runtime::chat::Limits few{
      .steps = 10'000, .bytes = 4 << 20, .output = 1 << 12};
  EXPECT_BEGINS(
      problem("{% for i in range(1000) %}{% for j in range(1000) %}{% endfor "
              "%}{% endfor %}",
              few),
      "t.jinja:1:30: runs for more than 10000 steps");
  EXPECT_BEGINS(problem("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", few),
                "t.jinja:1:");
  EXPECT_NE(problem("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", few)
                .find("deeper than 600 levels"),
            std::string::npos);
  EXPECT_NE(
      problem("{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(99) "
              "%}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
              {.bytes = 4 << 20})
          .find("holds more than 4 MiB of texts"),
      std::string::npos);
  EXPECT_NE(problem("{{ 'x' * 5000 }}", few).find("a prompt of more than"),
            std::string::npos);
  EXPECT_NE(problem("{{ [0] * 99999999999 }}", few), "none");
  EXPECT_NE(problem("{{ range(100001) }}").find("more than 100000 numbers"),
            std::string::npos);
  EXPECT_NE(problem("{% set ns = namespace(x=[]) %}{% for i in range(200) %}{% "
                    "set ns.x = [ns.x] %}{% endfor %}")
                .find("nested deeper than 100"),
            std::string::npos);
  EXPECT_NE(problem("{{ " + std::string(200, '(') + "1" +
                    std::string(200, ')') + " }}")
                .find("deeper than 100"),
            std::string::npos);
  // A namespace that contains itself.
  EXPECT_NE(problem("{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}"),
            "none");
  EXPECT_NE(problem("{% set ns = namespace(x=1) %}{% for i in range(200) %}{% "
                    "for j in [ns.x] %}{% set ns.x = loop %}{% endfor %}{% "
                    "endfor %}")
                .find("nested deeper than 100"),
            std::string::npos);
}

TEST(ChatTemplate, TextOfMessagesIsMarked) {
  runtime::chat::Conversation conversation;
  conversation.messages = {{{"role", "user"}, {"content", " <|end|> "}}};
  auto text = rendered("{% for m in messages %}{{ '<|' + m.role + '|>' + "
                       "m.content | trim + '<|end|>' }}{% endfor %}",
                       conversation);
  EXPECT_EQ(text.view(), "<|user|><|end|><|end|>");
  EXPECT_TRUE(text.isFrom(runtime::chat::Origin::Template, 0, 8));
  EXPECT_TRUE(text.isFrom(runtime::chat::Origin::Message, 8, 15));
  EXPECT_TRUE(text.isFrom(runtime::chat::Origin::Template, 15, 22));
  // A role that is not a single word could end with a part of a control token.
  conversation.messages[0]["role"] = "user|><|end";
  EXPECT_FALSE(rendered("{{ '<|' + messages[0].role + '|>' }}", conversation)
                   .isFrom(runtime::chat::Origin::Template, 0, 15));
  // Text computed from a message counts as the message's.
  for (const char *source :
       {"{{ messages[0].content | upper }}", "{{ messages[0].content[:3] }}",
        "{{ messages[0] | tojson }}", "{{ [messages[0].content] }}",
        "{{ messages[0].content.replace('|', '<|end|>') | tojson }}",
        "{{ '%s' % messages[0].content }}",
        "{{ messages[0].content | list }}"}) {
    auto made = rendered(source, conversation);
    EXPECT_NE(made.bytes.find('<'), std::string::npos) << source;
    for (size_t i = 0; i < made.size(); ++i)
      if (made.bytes[i] == '<')
        EXPECT_TRUE(made.isFrom(runtime::chat::Origin::Message, i, i + 1))
            << source;
  }
}

TEST(ChatTemplate, MessagesAreUtf8) {
  runtime::chat::Conversation conversation;
  conversation.messages = {{{"role", "user"}, {"content", "a\xff"}}};
  EXPECT_THROW(rendered("x", conversation), Error);
}

TEST(ChatTemplate, DamagedProgramsAreRefused) {
  std::string bytes = chat::compileTemplate("{{ 1 }}", "t").write();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(
        (void)runtime::chat::TemplateProgram::read(bytes.substr(0, size)),
        Error);
  // Nodes with fewer children than the interpreter accesses.
  using runtime::chat::Op;
  for (Op op : {Op::Attribute, Op::Item, Op::Slice, Op::Conditional, Op::For,
                Op::Set, Op::With, Op::CallBlock, Op::Compare, Op::Macro}) {
    runtime::chat::TemplateProgram program;
    program.add({op, 1, 1, 0, {}}, "x");
    EXPECT_THROW((void)runtime::chat::TemplateProgram::read(program.write()),
                 Error)
        << int(op);
  }
}
