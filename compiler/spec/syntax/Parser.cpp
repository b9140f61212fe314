// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, files and items.

#include "compiler/spec/syntax/Parser.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ParserRules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

using namespace transfold::spec;

File transfold::spec::parse(std::shared_ptr<const Source> source) {
  Errors errors;
  File file = parse(std::move(source), errors);
  errors.raise();
  return file;
}

/// Errors of the grammar would be consequences of those in tokens. Without a
/// head the text is perhaps not a spec, so that one error suffices.
File transfold::spec::parse(std::shared_ptr<const Source> source,
                            Errors &errors) {
  Errors ofTokens;
  Parser parser(lex(source, ofTokens));
  File file = parser.file();
  file.source = std::move(source);
  Errors found = ofTokens.empty() ? parser.takeErrors() : std::move(ofTokens);
  if (file.name.empty())
    found.keepFirst();
  errors.add(std::move(found));
  return file;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

// Like `maxHeight` for expressions: no reasonable spec is nested as deep.
static constexpr unsigned maxDepth = 200;

Parser::Level::Level(Parser &parser) : parser(parser) {
  if (++parser.depth > maxDepth)
    parser.fail(Code::TooDeep, parser.token(),
                fmt::format("nested more than {} levels deep", maxDepth));
}

const Token &Parser::next() const {
  return tokens[std::min(position + 1, tokens.size() - 1)];
}

const Token &Parser::take() {
  const Token &taken = tokens[position];
  if (taken.kind != TokenKind::End)
    ++position;
  return taken;
}

bool Parser::at(std::string_view text) const {
  return (token().kind == TokenKind::Operator ||
          token().kind == TokenKind::Keyword) &&
         token().text == text;
}

bool Parser::accept(std::string_view text) {
  bool here = at(text);
  if (here)
    take();
  return here;
}

const Token &Parser::expect(std::string_view text) {
  if (!at(text))
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected `{}`, found {}", text, found()));
  return take();
}

const Token &Parser::identifier(std::string_view what) {
  if (token().kind == TokenKind::Keyword || token().text == "∞")
    fail(Code::KeywordAsName, token(),
         fmt::format("expected {}, found `{}`, which is a keyword", what,
                     token().spelling));
  if (token().kind != TokenKind::Identifier)
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected {}, found {}", what, found()));
  return take();
}

const Token &Parser::string(std::string_view what) {
  if (token().kind != TokenKind::String)
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected {}, found {}", what, found()));
  return take();
}

std::string Parser::found() const {
  switch (token().kind) {
  case TokenKind::NewLine:
    return "the end of the line";
  case TokenKind::End:
    return "the end of the file";
  default:
    return fmt::format("`{}`", token().spelling);
  }
}

/// If a bracket was left open, the error occurs lines later: a note then gives
/// the line of the open bracket. The search for it reads all tokens before, so
/// there is none for errors that are not shown.
void Parser::fail(Code code, const Token &where, std::string message,
                  std::vector<std::string> notes) {
  std::vector<const Token *> open;
  for (const Token &token : tokens) {
    if (token.offset >= where.offset || errors.areMany())
      break;
    if (token.kind != TokenKind::Operator)
      continue;
    if (token.text == "(" || token.text == "[" || token.text == "{")
      open.push_back(&token);
    else if ((token.text == ")" || token.text == "]" || token.text == "}") &&
             !open.empty())
      open.pop_back();
  }
  bool matters = !open.empty() &&
                 open.back()->range.begin.line < where.range.begin.line &&
                 (open.back()->text != "{" || where.kind == TokenKind::End);
  if (matters)
    notes.push_back(fmt::format("The `{}` of line {} is still open.",
                                open.back()->text,
                                open.back()->range.begin.line));
  throw SpecError(code, where.range.begin, std::move(message),
                  std::move(notes));
}

Range Parser::rangeFrom(const Token &first) const {
  return {first.range.begin, tokens[position ? position - 1 : 0].range.end};
}

void Parser::skipLines() {
  while (token().kind == TokenKind::NewLine)
    take();
}

void Parser::separator() {
  if (token().kind != TokenKind::NewLine && !at(",") && !at("}"))
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected a comma or the end of the line, found {}",
                     found()));
  while (token().kind == TokenKind::NewLine || at(","))
    take();
}

void Parser::endOfStatement() {
  if (token().kind == TokenKind::Keyword && !at("if") && !at("else"))
    fail(Code::KeywordAsName, token(),
         fmt::format("`{}` is a keyword and cannot be used here",
                     token().spelling));
  if (token().kind != TokenKind::NewLine && token().kind != TokenKind::End &&
      !at("}"))
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected an operator or the end of the line, "
                     "found {}",
                     found()));
  skipLines();
}

/// Items begin in the first column, and what they contain does not.
void Parser::skipItem() {
  do
    take();
  while (token().kind != TokenKind::End &&
         (token().range.begin.column != 1 || at("}") || at(")") || at("]") ||
          token().kind == TokenKind::NewLine));
}

/// A statement ends with its line, or after the brackets that it opens.
void Parser::skipStatement(size_t first) {
  const size_t failed = position;
  int open = 0;
  for (position = first; token().kind != TokenKind::End; take()) {
    if (at("{") || at("(") || at("["))
      ++open;
    if (at("}") && open <= 0)
      return; // of the body
    if (at("}") || at(")") || at("]"))
      --open;
    if (position >= failed && open <= 0 && token().kind == TokenKind::NewLine)
      break;
  }
  skipLines();
}

std::vector<ExprPtr> Parser::dims() {
  return bracketed([&] { return expression(); });
}

//===----------------------------------------------------------------------===//
// Files and items
//===----------------------------------------------------------------------===//

std::string Parser::modelName() {
  const Token &name = take();
  bool isName =
      !name.text.empty() && std::ranges::all_of(name.text, [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-' || c == '.';
      });
  if (!isName)
    fail(Code::MissingHead, name,
         "the name of a model has letters, digits, `_`, `-` and `.`");
  return name.text;
}

void Parser::head(File &file) {
  skipLines();
  if (!at("model") && !at("library"))
    fail(Code::MissingHead, token(),
         "a spec starts with `model NAME` or `library NAME`");
  file.isModel = take().text == "model";
  // A model_type need not be an identifier of the language: "deberta-v2".
  file.namePlace = token().range.begin;
  if (file.isModel && token().kind == TokenKind::String)
    file.name = modelName();
  else
    file.name = identifier().text;
  endOfStatement();
}

File Parser::file() {
  File result;
  bool hasHead = errors.attempt([&] { head(result); });
  if (!hasHead && token().range.begin.column != 1)
    skipItem();
  while (token().kind != TokenKind::End) {
    bool isGood = errors.attempt([&] {
      item(result);
      endOfStatement();
    });
    if (!isGood)
      skipItem();
  }
  return result;
}

/// Moves all elements of `more` to the end of `list`.
template <typename T>
static void append(std::vector<T> &list, std::vector<T> more) {
  for (T &element : more)
    list.push_back(std::move(element));
}

void Parser::item(File &file) {
  if (at("use"))
    file.uses.push_back(use());
  else if (at("lengths"))
    lengths(file.lengths);
  else if (at("sizes"))
    lengths(file.sizes);
  else if (at("parts"))
    append(file.parts, parts());
  else if (at("weights"))
    append(file.weights, weights());
  else if (at("block"))
    file.blocks.push_back(block());
  else if (at("entry"))
    file.entries.push_back(entry());
  else if (at("task"))
    file.tasks.push_back(task());
  else if (at("config"))
    file.configs.push_back(config());
  else if (at("names"))
    file.names.push_back(names());
  else if (token().text == "interface" && next().text == "{")
    file.interfaces.push_back(interface());
  else if (token().kind == TokenKind::Identifier)
    file.definitions.push_back(definition());
  else if (at("}"))
    fail(Code::StrayBrace, token(), "this `}` closes nothing");
  else
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected a declaration or a definition, found {}",
                     found()));
}

/// Parses: use NAMES from "std/x.xf", or only its tables: use "std/x.xf"
Use Parser::use() {
  Use result;
  take();
  if (token().kind != TokenKind::String) {
    for (const Token *name : many([&] { return &identifier(); })) {
      result.names.push_back(name->text);
      result.namePlaces.push_back(name->range.begin);
    }
    expect("from");
  }
  const Token &path = string("the path of a library");
  result.path = path.text;
  result.pathPlace = path.range.begin;
  return result;
}

void Parser::lengths(std::vector<std::pair<std::string, Place>> &into) {
  take();
  for (const Token *name : many([&] { return &identifier(); }))
    into.emplace_back(name->text, name->range.begin);
}

/// Names without a block take that of the next name: `norm_1, norm_2:
/// rms_norm[d, ε]`.
std::vector<Part> Parser::parts() {
  take();
  auto result = many([&] { return part(); });
  if (result.back().block.empty())
    fail(Code::MissingBlockName, token(),
         fmt::format("`{0}` needs the name of its block: {0}: BLOCK",
                     result.back().name));
  for (size_t i = result.size() - 1; i-- > 0;) {
    Part &part = result[i];
    const Part &typed = result[i + 1];
    if (!part.block.empty())
      continue;
    part.block = typed.block;
    part.blockPlace = typed.blockPlace;
    part.arguments = typed.arguments;
    part.condition = typed.condition;
  }
  return result;
}

Part Parser::part() {
  const Token &name = identifier("the name of a part");
  Part result{name.text, name.range.begin, "", nullptr, "", {}, {}, nullptr};
  if (accept("[")) {
    const Token &index = identifier("an index");
    result.index = index.text;
    result.indexPlace = index.range.begin;
    expect("<");
    result.count = expression();
    expect("]");
  }
  if (accept(":")) {
    const Token &block = identifier("the name of a block");
    result.block = block.text;
    result.blockPlace = block.range.begin;
    if (at("["))
      result.arguments = dims();
    if (accept("if"))
      result.condition = unconditional();
  }
  return result;
}

std::vector<Weight> Parser::weights() {
  take();
  return many([&] { return weight(); });
}

Weight Parser::weight() {
  const Token &name = identifier("the name of a weight");
  Weight result{name.text, name.range.begin, {}, false, nullptr, nullptr};
  result.dims = dims();
  if (accept("?")) {
    result.optional = true;
  } else if (accept("if")) {
    result.condition = unconditional();
    if (accept("else"))
      result.otherwise = expression();
  }
  return result;
}

Block Parser::block() {
  const Token &first = take();
  const Token &name = identifier("the name of a block");
  Block result{name.text, name.range.begin, {}, {}, {}, {}, {}, {}};
  if (at("["))
    for (const Token *parameter : bracketed([&] { return &identifier(); })) {
      result.statics.push_back(parameter->text);
      result.staticPlaces.push_back(parameter->range.begin);
    }
  result.parameters = parameters();
  expect("->");
  result.result = dims();
  result.body = body();
  result.range = rangeFrom(first);
  return result;
}

Entry Parser::entry() {
  const Token &first = take();
  const Token &name = identifier("the name of an entry");
  Entry result{name.text, name.range.begin, {}, {}, {}, nullptr, {}};
  result.parameters = parameters();
  expect("->");
  result.results = many([&] {
    const Token &name = identifier("the name of a result");
    return Result{name.text, name.range.begin, dims()};
  });
  if (accept("if"))
    result.condition = unconditional();
  result.body = body();
  result.range = rangeFrom(first);
  return result;
}

Task Parser::task() {
  take();
  const Token &kind = identifier("a task, as in `task embed from …`");
  Task result{kind.text, kind.range.begin, {}, {}, {}};
  expect("from");
  for (const Token *entry : many([&] { return &identifier("an entry"); })) {
    result.entries.push_back(entry->text);
    result.entryPlaces.push_back(entry->range.begin);
  }
  if (at("{"))
    result.options = options();
  return result;
}

/// Parses: { stop = .eos_token_id, start = 0 }
std::vector<Definition> Parser::options() {
  std::vector<Definition> result;
  expect("{");
  skipLines();
  while (!at("}")) {
    const Token &first = identifier("an option");
    Definition option;
    option.name = first.spelling;
    option.place = first.range.begin;
    expect("=");
    option.value = expression();
    option.range = rangeFrom(first);
    result.push_back(std::move(option));
    separator();
  }
  take();
  return result;
}

/// Parses:
/// interface { tokens = "input_ids", decode.tokens = "decoder_input_ids" }
Interface Parser::interface() {
  const Token &first = take();
  Interface result{first.range.begin, {}, {}, {}};
  expect("{");
  skipLines();
  while (!at("}")) {
    const Token &name = identifier("an argument, a result or an entry");
    std::string inside = name.text;
    if (accept("."))
      inside += "." + identifier("an argument or a result").text;
    expect("=");
    result.names.emplace_back(inside, string("a name in \"…\"").text);
    result.namePlaces.push_back(name.range.begin);
    separator();
  }
  take();
  result.range = rangeFrom(first);
  return result;
}
