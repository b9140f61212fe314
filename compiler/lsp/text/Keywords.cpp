// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keywords. docs/language.md is the reference.

#include "compiler/lsp/text/Words.h"

#include <iterator>
#include <utility>

namespace transfold::lsp {

/// Each keyword, with its form and its meaning.
static constexpr std::pair<std::string_view, Word> keywordList[] = {
    {"model",
     {"model NAME", "Begins the spec of the models with this `model_type`."}},
    {"library",
     {"library NAME", "Begins a file of names and tables that specs use."}},
    {"use",
     {"use a, b from \"std/x.xf\"",
      "Imports names of a library, and its tables; without names, only its "
      "tables."}},
    {"from",
     {"use a from \"std/x.xf\", task generate from decode",
      "Stands before the library of `use`, or the entries of a task."}},
    {"lengths",
     {"lengths n, m",
      "Declares lengths of sequences, the only sizes that are unknown before "
      "the program runs."}},
    {"sizes",
     {"sizes d, h",
      "Declares the sizes of a library's blocks, which are bound where a "
      "block is used."}},
    {"parts",
     {"parts layers[l < L]: layer, norm: rms_norm[d, ε]",
      "Declares blocks with weights of their own; an index makes a family."}},
    {"weights",
     {"weights W[d, f], b[f]?, U[d, v] if c else E'",
      "Declares weights with the paper's shape; `?` marks those that a "
      "checkpoint may lack."}},
    {"block",
     {"block NAME[static](x[n, d]) -> [n, d] { … }",
      "Defines equations with weights of their own."}},
    {"entry",
     {"entry NAME(tokens[n]) -> result[n, d] { … }",
      "Defines a function that the program offers."}},
    {"task",
     {"task embed from entry { option = … }",
      "Names what users ask for, and the entries that it runs, in order."}},
    {"config",
     {"config hf { name = .key }",
      "Defines the constants of the model from the configuration of a "
      "container; in an expression, the root of the configuration."}},
    {"names",
     {"names hf { W = \"tensor\" as [d, f] }",
      "Says where the weights lie in a container."}},
    {"for",
     {"for l < L { x = layers[l](x) }",
      "Repeats statements; names that exist outside are carried from round "
      "to round."}},
    {"if",
     {"a if condition else b",
      "Chooses by a condition that is known at compile time, or that depends "
      "on an index."}},
    {"else", {"a if condition else b", "Stands before the other value."}},
    {"where",
     {"y = a * x where a = 2",
      "Defines names that only this definition uses; their order does not "
      "matter."}},
    {"return", {"return x, y", "Gives the results of a block or an entry."}},
    {"expect", {"expect condition", "Refuses models for which this is false."}},
    {"ignore",
     {"ignore \"pattern\" if condition",
      "Names keys or tensors that do not affect the equations."}},
    {"as",
     {"W = \"tensor\" as [h * d_k, d]",
      "Gives the stored shape of a tensor, by the names of its axes."}},
    {"at",
     {"K = \"kv\" as [2 * d, d] at 0",
      "Selects one of the parts of a tensor that several weights share."}},
    {"and", {"a and b", "True if both conditions are."}},
    {"or",
     {"a or b",
      "True if one of the conditions is; in a table, the first tensor that "
      "exists."}},
    {"not", {"not a", "True if the condition is false."}},
    {"in", {"a in list", "Whether a list has the element."}},
    {"div", {"a div b", "The quotient of integers, rounded down."}},
    {"mod", {"a mod b", "The remainder of integers, with the divisor's sign."}},
    {"true", {"true", "The truth value that holds."}},
    {"false", {"false", "The truth value that does not hold."}},
    {"none",
     {"none", "The value of an absent key; `a ?? b` is b where a is `none`."}},
    {"generation",
     {"generation.eos_token_id", "The root of generation_config.json."}},
    {"interface",
     {"interface { tokens = \"input_ids\" }",
      "Gives arguments and results their external names."}},
    {"axis",
     {"axis d = 2 * f",
      "Splits an axis into factors, which the lines of a table may store in "
      "any order."}},
    {"linear",
     {"linear as [out, in]",
      "States the order in which matrices right of `@` are stored."}},
    {"inf", {"∞, inf", "The infinite number."}},
};

const std::map<std::string_view, Word> &keywordWords() {
  static const std::map<std::string_view, Word> words(std::begin(keywordList),
                                                      std::end(keywordList));
  return words;
}

} // namespace transfold::lsp
