// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree of a spec: what the parser makes of the text, and nothing
// more. No names are resolved here and no shapes are known. Expressions are one
// node type with a kind and operands, because every later walk (scopes, config
// keys that are mentioned, layouts) looks at all kinds in the same way.

#pragma once

#include "compiler/spec/syntax/Source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The kinds of expressions, with the members that each of them uses.
enum class ExprKind {
  Number,      // text: the spelling, so that 0.1 stays the rational 1/10
  String,      // text: the content; operands: what each {…} in it inserts
  Name,        // text
  True,        //
  False,       //
  None,        //
  Infinity,    //
  Config,      // the root of the configuration; `.a.b` is Field(Field(Config))
  Generation,  // the root of generation_config.json
  Field,       // operands[0] . text
  Call,        // operands[0] ( operands[1..] )
  Named,       // an argument `text = operands[0]`
  Given,       // an argument `operands[0] | operands[1]`: softmax of S where M
  Index,       // operands[0] [ operands[1..] ]
  Slice,       // an index `a:b`; operands[0], operands[1], null where absent
  Range,       // an index `a +: b`
  Transpose,   // operands[0] '
  Stack,       // [a, b; c]: rowLengths says how many operands each row has
  Record,      // { k: v, … }: keys beside operands
  Conditional, // operands[1] if operands[0] else operands[2]
  Or,
  And,
  Not,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  Default, // a ?? b
  Add,
  Subtract,
  Multiply, // a * b
  Divide,   // a / b
  Product,  // a @ b
  IntegerDivide,
  Modulo,
  Negate,
  Power,
  Root, // √a; sqrt(a) parses as a Call of the name `sqrt`
  Sum,  // Σ_j operands[0]; text: the index, j
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// A node of an expression; which members are used depends on `kind`.
struct Expr {
  ExprKind kind;
  Range range; // of the whole expression
  Place at;    // where the caret goes: the operator, or the first character
  std::string text;
  std::vector<ExprPtr> operands;
  std::vector<std::string> keys;    // Record
  std::vector<unsigned> rowLengths; // Stack
  unsigned height = 1; // levels of operands; the parser limits it, so that
                       // every walk may recurse
};

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// `name`, `name[dims]`, `name[dims] = value`: of a block, entry or function.
struct Parameter {
  std::string name;
  Place place;
  std::optional<std::vector<ExprPtr>> dims;
  ExprPtr defaultValue; // null: must be given
};

/// One index of a definition by index: `i` or `i < bound`.
struct IndexVariable {
  std::string name;
  Place place;
  ExprPtr bound; // null: inferred
};

/// `name = value`, `name(params) = value`, `name[i, j] = value where …`.
struct Definition {
  std::string name;
  Place place;
  Range range;
  std::optional<std::vector<Parameter>> parameters;
  std::vector<IndexVariable> indices; // empty: not by index
  ExprPtr value;
  std::vector<Definition> where;
};

/// `W[h, d, d_k]?`, `b[d] if c`, `U[d, vocab] if not tied else E'`.
struct Weight {
  std::string name;
  Place place;
  std::vector<ExprPtr> dims;
  bool optional = false;
  ExprPtr condition; // null: none
  ExprPtr otherwise; // null: none
};

/// `layers[l < L]: layer`, `norm: rms_norm[d, ε] if c`. Names that share a type
/// (`norm_1, norm_2: rms_norm[d, ε]`) are one Part each.
struct Part {
  std::string name;
  Place place;
  std::string index; // empty: not a family
  ExprPtr count;     // of the family
  std::string block;
  Place blockPlace;
  std::vector<ExprPtr> arguments;
  ExprPtr condition;
  Place indexPlace = {};
};

struct Statement;
using Body = std::vector<Statement>;

/// The kinds of statements.
enum class StatementKind { Parts, Weights, Define, Return, For, If };

/// A statement of a body; which members are used depends on `kind`.
struct Statement {
  StatementKind kind;
  Range range;
  std::vector<Part> parts;
  std::vector<Weight> weights;
  std::optional<Definition> definition;
  std::vector<ExprPtr> values; // Return
  std::string variable;        // For
  Place variablePlace;         // For
  ExprPtr condition;           // For: the bound; If: the condition
  Body body;
  Body otherwise; // If
};

/// block name[statics](parameters) -> [result] { body }
struct Block {
  std::string name;
  Place place;
  Range range;
  std::vector<std::string> statics;
  std::vector<Place> staticPlaces;
  std::vector<Parameter> parameters;
  std::vector<ExprPtr> result;
  Body body;
};

/// A result of an entry: `name[dims]`.
struct Result {
  std::string name;
  Place place;
  std::vector<ExprPtr> dims;
};

/// entry name(parameters) -> results if condition { body }
struct Entry {
  std::string name;
  Place place;
  Range range;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  ExprPtr condition; // null: always
  Body body;
};

/// task embed from sentence { max_tokens = 256 }
struct Task {
  std::string kind;
  Place place;
  std::vector<std::string> entries;
  std::vector<Place> entryPlaces;
  std::vector<Definition> options;
};

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

/// ignore "a", "b" if c
struct Ignore {
  Place place;
  std::vector<ExprPtr> patterns;
  ExprPtr condition;
};

/// config hf { … }, config gguf for "llama" if … { … }
struct Config {
  std::string container;
  Place place;
  Range range;
  /// The container's names for the model's architecture, if they differ from
  /// the spec's own name; and a condition on the models with such a name, null:
  /// all.
  std::vector<std::string> architectures;
  ExprPtr condition;
  std::vector<Definition> definitions;
  std::vector<ExprPtr> expectations;
  std::vector<Ignore> ignored;
  /// task { stop = … }: defaults for the options of tasks that generate tokens.
  std::vector<Definition> options;
};

struct Table;

/// One weight or part placed: `W_O = "o_proj.weight" as [h * d_k, d] at 1`,
/// `layers[l] = "model.layers.{l}."`, `cross = "attention/" { W_Q = … }`. Names
/// that share a tensor are one Binding each, with `at` set to their number.
struct Binding {
  std::string name;
  Place place;
  std::vector<std::string> indices; // of a family of parts or tensors
  std::vector<Place> indexPlaces;
  ExprPtr source;
  std::optional<std::vector<ExprPtr>> axes; // after `as`
  ExprPtr at;
  std::vector<std::pair<std::string, ExprPtr>> splits; // axis d_k = 2 * f
  std::shared_ptr<Table> exceptions;                   // null: none
};

/// The entries of `names hf { … }`, or of one block's section inside it.
struct Table {
  std::vector<Binding> bindings;
  std::vector<std::pair<std::string, std::shared_ptr<Table>>> sections;
  std::vector<Place> sectionPlaces;
  std::vector<ExprPtr> expectations;
  std::vector<Ignore> ignored;
  std::optional<bool> linearIsOutIn; // linear as [out, in]
};

/// names hf { … }
struct Names {
  std::string container;
  Place place;
  Range range;
  Table table;
};

/// interface { tokens = "input_ids" }: the external names of arguments and
/// results, for callers of the program; the equations keep the paper's names.
/// `decode.tokens = "decoder_input_ids"` applies to one entry only and has
/// priority.
struct Interface {
  Place place;
  Range range;
  std::vector<std::pair<std::string, std::string>> names; // inside → outside
  std::vector<Place> namePlaces;
};

/// use all from "std/mask.xf"; without names, only its tables are used.
struct Use {
  std::vector<std::string> names;
  std::vector<Place> namePlaces;
  std::string path;
  Place pathPlace;
};

/// A parsed file.
struct File {
  std::shared_ptr<const Source> source;
  bool isModel = false; // model NAME, else library NAME
  std::string name;
  Place namePlace;
  std::vector<Use> uses;
  std::vector<std::pair<std::string, Place>> lengths;
  std::vector<std::pair<std::string, Place>> sizes;
  std::vector<Part> parts;
  std::vector<Weight> weights;
  std::vector<Block> blocks;
  std::vector<Entry> entries;
  std::vector<Task> tasks;
  std::vector<Config> configs;
  std::vector<Names> names;
  std::vector<Interface> interfaces;
  std::vector<Definition> definitions;
};

} // namespace transfold::spec
