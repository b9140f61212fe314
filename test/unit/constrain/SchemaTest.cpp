// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/Error.h"
#include "runtime/constrain/Constraint.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace transfold;
using namespace transfold::runtime;

namespace {

const std::shared_ptr<const TokenIndex> &bytes() {
  static const auto index = [] {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte)
      tokens.emplace_back(1, static_cast<char>(byte));
    return std::make_shared<const TokenIndex>(tokens);
  }();
  return index;
}

bool follows(const std::shared_ptr<const Grammar> &grammar,
             std::string_view text) {
  Matcher matcher(grammar, bytes());
  return matcher.appendText(text) && matcher.isComplete();
}

void check(std::string_view schema, std::vector<const char *> good,
           std::vector<const char *> bad) {
  const auto grammar = schemaConstraint(schema);
  for (const char *text : good)
    EXPECT_TRUE(follows(grammar, text)) << text << " by " << schema;
  for (const char *text : bad)
    EXPECT_FALSE(follows(grammar, text)) << text << " by " << schema;
}

std::string problem(std::string_view schema) {
  try {
    schemaConstraint(schema);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

TEST(Schema, Types) {
  check("{}", {"null", "true", "1", "-1.5e3", "\"a\"", "[]", "{}", "[1, 2,3]"},
        {"", "nul", "truefalse", "01", "[1,]", "{\"a\"}", " 1", "[ 1]", "{ }"});
  check("true", {"1"}, {});
  check(R"({"type": ["integer", "null"]})", {"1", "null"}, {"1.5", "true"});
  check(R"({"type": "number"})", {"1", "1.5", "1e10", "-0.5"}, {"1.", "e5"});
  check(R"({"type": "object"})", {R"({"a":[{}],"b": null})"}, {"[]", "{}}"});
}

TEST(Schema, Strings) {
  check(R"({"type": "string", "minLength": 1, "maxLength": 2})",
        {R"("a")", R"("é😀")", R"("\n\u00e9")", R"("\ud83d\ude00a")"},
        {R"("")", R"("abc")", R"("\ud83d")", "\"a", "\"\n\""});
  check(R"({"type": "string", "pattern": "b+$", "maxLength": 3})",
        {R"("b")", R"("abb")", R"("\"\\b")"}, {R"("bba")", R"("aaab")"});
  check(R"({"type": "string", "format": "date"})",
        {R"("2024-02-29")", R"("2023-12-31")", R"("2000-02-29")"},
        {R"("2023-02-29")", R"("1900-02-29")", R"("2023-04-31")",
         R"("2023-13-01")"});
  check(R"({"type": "string", "format": "ipv4"})", {R"("255.0.10.1")"},
        {R"("256.0.0.1")", R"("1.2.3")", R"("01.2.3.4")"});
  check(R"({"type": "string", "format": "ipv6"})",
        {R"("::")", R"("::1")", R"("1:2:3:4:5:6:7:8")", R"("1::8")",
         R"("::ffff:1.2.3.4")", R"("1:2:3:4:5:6:7::")"},
        {R"("1:2:3:4:5:6:7")", R"("1::2::3")", R"("1:2:3:4:5:6:7:8:9")"});
  check(R"({"type": "string", "format": "date-time"})",
        {R"("2024-01-31T23:59:59Z")", R"("2024-01-31T00:00:00.5+02:00")"},
        {R"("2024-01-31 00:00:00Z")", R"("2024-01-31T24:00:00Z")"});
}

TEST(Schema, Numbers) {
  check(R"({"type": "integer", "minimum": -3, "exclusiveMaximum": 12})",
        {"-3", "0", "11"}, {"-4", "12", "1.0", "-0", "100"});
  check(R"({"type": "number", "exclusiveMinimum": 0, "maximum": 1})",
        {"1", "0.5", "1.0", "0.000001"}, {"0", "0.0", "1.01", "-1", "1e-3"});
  check(R"({"type": "number", "maximum": 5, "exclusiveMaximum": true})", {"4"},
        {"5"});
  check(R"({"type": "number", "multipleOf": 5})", {"0", "15", "-5"},
        {"3", "5.0"});
  check(R"({"type": "integer", "format": "int32"})", {"2147483647"},
        {"2147483648", "-2147483649"});
}

TEST(Schema, ListedValues) {
  check(R"({"enum": ["a\"b", 1, 2.5, null, [1, {"a": "b"}]]})",
        {R"("a\"b")", "1", "2.5", "null", R"([1,{"a":"b"}])"}, {"2", "\"a\""});
  check(R"({"type": "integer", "enum": [1, "1", 2.0, 2.5], "minimum": 2})",
        {"2.0"}, {"1", "\"1\"", "2.5"});
  check(R"({"const": "x", "enum": ["x", "y"]})", {"\"x\""}, {"\"y\""});
}

TEST(Schema, Lists) {
  check(R"({"type": "array", "items": {"type": "null"}, "minItems": 1,
            "maxItems": 2})",
        {"[null]", "[null, null]", "[null,null]"},
        {"[]", "[null,null,null]", "[null,  null]"});
  check(R"({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}],
            "items": {"const": 3}})",
        {"[]", "[1]", "[1,2]", "[1,2,3,3]"}, {"[2]", "[1,3]", "[1,2,1]"});
  check(R"({"type": "array", "items": [{"const": 1}],
            "additionalItems": false})",
        {"[]", "[1]"}, {"[1,1]"});
  check(R"({"type": "array", "prefixItems": [true, true, true], "minItems": 2,
            "maxItems": 2})",
        {"[1,2]"}, {"[1]", "[1,2,3]"});
}

TEST(Schema, Objects) {
  check(R"({"type": "object", "properties": {"a": {"const": 1},
            "b": {"const": 2}, "c": {"const": 3}}, "required": ["b"],
            "additionalProperties": false})",
        {R"({"b":2})", R"({"a":1,"b": 2, "c":3})", R"({"b":2,"c":3})"},
        {"{}", R"({"a":1})", R"({"b":2,"a":1})", R"({"b":2,"d":1})",
         R"({"b":2,"b":2})"});
  check(
      R"({"type": "object", "properties": {"a": {"const": 1}},
            "additionalProperties": {"type": "null"}})",
      {"{}", R"({"a":1,"b":null})", R"({"b":null,"aa":null})", R"({"":null})"},
      {R"({"a":null})", R"({"b":null,"a":1})", R"({"b":1})",
       R"({"\u0061":null})"});
  check(R"({"type": "object", "patternProperties": {"^x": {"const": 1}},
            "additionalProperties": {"const": 2}})",
        {R"({"x":1,"y":2})", R"({"y":2,"xy":1})"}, {R"({"x":2})"});
  check(R"({"type": "object", "propertyNames": {"enum": ["a", "b"]}})",
        {R"({"a":1})"}, {R"({"c":1})"});
  check(R"({"type": "object", "minProperties": 2, "maxProperties": 3,
            "properties": {"a": true, "b": true, "c": true, "d": true}})",
        {R"({"a":1,"b":1})", R"({"a":1,"b":1,"c":1})", R"({"c":1,"d":1})",
         R"({"a":1,"z":1})"},
        {R"({"a":1})", R"({"a":1,"b":1,"c":1,"d":1})", R"({"z":1,"z":1})"});
  check(R"({"type": "object", "required": ["q\"", "q\""]})",
        {R"({"q\"":1})", R"({"q\"":1,"z":1})"}, {"{}", R"({"z":1,"q\"":1})"});
}

TEST(Schema, Combinations) {
  check(R"({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}],
            "maximum": 5})",
        {"5", "\"a\""}, {"6", "\"ab\""});
  check(R"({"allOf": [{"minimum": 1}, {"maximum": 3}], "type": "integer"})",
        {"1", "3"}, {"0", "4"});
  check(R"({"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}},
            "required": ["k"], "additionalProperties": false},
            {"type": "object", "properties": {"k": {"const": "b"}},
            "required": ["k"]}]})",
        {R"({"k":"a"})", R"({"k":"b","l":1})"},
        {R"({"k":"a","l":1})", R"({"k":"c"})"});
  check(R"({"type": "object", "properties": {"a": {"minimum": 1}},
            "required": ["a"], "allOf": [{"properties": {"a": {"type":
            "integer", "maximum": 2}}, "additionalProperties": false}]})",
        {R"({"a":1})", R"({"a":2})"}, {R"({"a":3})", R"({"a":1,"b":1})"});
}

TEST(Schema, References) {
  const char *tree = R"({"$ref": "#/$defs/tree", "$defs": {"tree": {
      "type": "object", "properties": {"v": {"type": "integer"}, "kids": {
      "type": "array", "items": {"$ref": "#/$defs/tree"}}},
      "required": ["v"], "additionalProperties": false}}})";
  check(tree, {R"({"v":1,"kids":[{"v":2},{"v":3,"kids":[]}]})"},
        {R"({"v":1,"kids":[{}]})"});
  check(R"({"definitions": {"a/b~c": {"const": 1}},
            "$ref": "#/definitions/a~1b~0c"})",
        {"1"}, {"2"});
  EXPECT_EQ(problem(R"({"$ref": "#"})"),
            "the schema's '$ref' at '#' refers to itself without a value "
            "between");
  EXPECT_NE(problem(R"({"$ref": "#/nowhere"})").find("does not exist"),
            std::string::npos);
  EXPECT_NE(problem(R"({"$ref": "http://a/b"})").find("'$ref'"),
            std::string::npos);
  EXPECT_NE(problem(R"({"anyOf": [{"$ref": "#"}, {"type": "null"}]})")
                .find("refers to itself"),
            std::string::npos);
}

TEST(Schema, WhatIsNotSupportedIsNamed) {
  EXPECT_EQ(problem(R"({"properties": {"a/b": {"not": {}}}})"),
            "the schema's 'not' at '#/properties/a~1b' is not supported");
  EXPECT_EQ(problem(R"({"type": "string", "format": "iri"})"),
            "the schema's 'format' at '#' is 'iri', which is not supported");
  for (const char *keyword :
       {"if", "contains", "dependentRequired", "unevaluatedProperties",
        "$dynamicRef", "nullable", "minimun"})
    EXPECT_EQ(
        problem(fmt::format(R"({{"{}": true}})", keyword)),
        fmt::format("the schema's '{}' at '#' is not supported", keyword));
  EXPECT_NE(problem(R"({"type": "array", "uniqueItems": true})")
                .find("'uniqueItems'"),
            std::string::npos);
  EXPECT_NE(
      problem(R"({"type": "number", "multipleOf": 0.1})").find("'multipleOf'"),
      std::string::npos);
  EXPECT_NE(problem(R"({"oneOf": [{"type": "number"}, {"type": "integer"}]})")
                .find("'oneOf'"),
            std::string::npos);
  EXPECT_NE(problem(R"j({"pattern": "a(?=b)"})j").find("'pattern' at '#'"),
            std::string::npos);
  EXPECT_EQ(problem("false"), "the schema at '#' admits no value at all");
  EXPECT_EQ(problem("3"), "the schema at '#' must be an object, true or false");
  EXPECT_EQ(problem(R"({"type": "object", "required": ["a"],
                        "properties": {"a": {"$ref": "#"}}})"),
            "the schema at '#' admits no value at all");
  EXPECT_NE(problem(R"({"type": "strnig"})").find("'type' at '#' must be"),
            std::string::npos);
  EXPECT_NE(problem("{").find("is not JSON"), std::string::npos);
  // Only describes.
  EXPECT_EQ(problem(R"({"title": "(", "description": "{\"not\": 1}",
                        "x-order": 1, "default": {"not": 1}})"),
            "none");
}

/// Attacks end with a message, and at a bounded cost.
TEST(Schema, HostileSchemasAreStopped) {
  auto nested = [](const char *open, const char *inner, const char *close,
                   int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i)
      text += open;
    text += inner;
    for (int i = 0; i < depth; ++i)
      text += close;
    return text;
  };
  std::string names, values, branches;
  for (int i = 0; i < 20000; ++i) {
    names +=
        fmt::format("{}\"n{}\": {{\"type\": \"string\"}}", i ? "," : "", i);
    values += fmt::format("{}\"{:040}\"", i ? "," : "", i * 7919);
  }
  for (int i = 0; i < 14; ++i)
    branches +=
        fmt::format("{}{{\"anyOf\": [{{\"minimum\": {}}}, {{\"maximum\":"
                    " {}}}]}}",
                    i ? "," : "", i, i);
  const std::string schemas[] = {
      nested(R"({"anyOf": [)", "{}", "]}", 90),
      nested(R"({"properties": {"a": )", "{}", "}}", 45),
      nested(R"({"oneOf": [{"type": "string"}, )", R"({"type": "null"})", "]}",
             30),
      "{\"properties\": {" + names + "}}",
      "{\"enum\": [" + values + "]}",
      "{\"type\": \"integer\", \"allOf\": [" + branches + "]}",
      R"({"type": "string", "maxLength": 1000000000})",
      R"({"type": "array", "minItems": 1000000000})",
      R"({"type": "string", "pattern": "(a?){999}a{999}"})",
      R"({"type": "string", "pattern": "^a", "maxLength": 1000000})",
      R"({"type": "object", "minProperties": 900000000,
          "maxProperties": 1000000000})",
      R"({"type": "object", "patternProperties": {".*a.{9}": {},
          ".*b.{9}": {}, ".*c.{9}": {}, ".*d.{9}": {}}})",
  };
  for (const std::string &schema : schemas) {
    ConstraintBudget budget;
    const auto message = problem(schema);
    EXPECT_LT(message.size(), 500U) << schema.substr(0, 60);
  }
}

} // namespace
