// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of equations and configurations. docs/language.md is the
// reference.

#include "compiler/lsp/text/Words.h"

#include <iterator>
#include <utility>

namespace transfold::lsp {

/// Each function, with its form and its meaning.
static constexpr std::pair<std::string_view, Word> functionList[] = {
    // Of tensors.
    {"concat",
     {"concat(F): [h, n, e] → [n, h · e]",
      "Places the members of a family side by side."}},
    {"sum",
     {"sum(x): [n, d] → [d]",
      "Adds the rows, or the members of a family; `Σ_j e` adds over an "
      "index."}},
    {"mean",
     {"mean(x): [n, d] → [d]", "The mean of the rows, or of the members."}},
    {"max",
     {"max(x), max(x, y)",
      "The element-wise largest of the rows or members, or of two "
      "values."}},
    {"min", {"min(x, y)", "The smaller of two values, element-wise."}},
    {"diag",
     {"diag(v) @ X: [n] [n, d] → [n, d]",
      "Multiplies each row by its factor."}},
    {"softmax",
     {"softmax(S), softmax(S | M), softmax(S, sink = s)",
      "Normalizes exp(S) over columns, only where the mask M is true; "
      "exp(sink) is added to the denominator."}},
    {"standardize",
     {"standardize(x, ε)", "(x − mean) / √(variance + ε) over columns."}},
    {"unit_rms",
     {"unit_rms(x, ε)", "x / √(mean of squares + ε) over columns."}},
    {"unit", {"unit(x)", "x divided by its Euclidean norm over columns."}},
    {"relu", {"relu(x)", "max(x, 0), element-wise."}},
    {"gelu", {"gelu(x)", "The exact GELU, x Φ(x), with erf."}},
    {"sigmoid", {"sigmoid(x)", "1 / (1 + exp(−x)), element-wise."}},
    {"tanh", {"tanh(x)", "The hyperbolic tangent, element-wise."}},
    {"exp", {"exp(x)", "The exponential function, element-wise."}},
    {"log", {"log(x)", "The natural logarithm, element-wise."}},
    {"log2", {"log2(x)", "The logarithm to base 2, element-wise."}},
    {"log1p",
     {"log1p(x)",
      "log(1 + x), also where x is too small for 1 + x to hold it."}},
    {"abs", {"abs(x)", "The absolute value, element-wise."}},
    {"sqrt", {"√x, sqrt(x)", "The square root, element-wise."}},
    {"clamp", {"clamp(x, a, b)", "x limited to the numbers from a to b."}},
    {"rotate",
     {"rotate(x, A)",
      "Rotates the pair (c, c + d/2) of row t by the angle A[t, c]."}},
    {"top",
     {"top(Z, k): [n, e] → truth values",
      "True for the k largest of each row, the first of equal ones."}},
    {"conv",
     {"conv(x, W, stride, pad): [n, c] [k, c, d] → [m, d]",
      "A convolution along rows, with zeros beyond the ends, or with `border "
      "= \"reflect\"`."}},
    {"patches",
     {"patches(image, p)", "An image cut into p × p, a row for each."}},
    {"round",
     {"round(x, \"bfloat16\")",
      "Rounds to a type, where the original rounds on purpose."}},
    {"f32", {"f32(x)", "x rounded to float32."}},
    {"f16", {"f16(x)", "x rounded to float16."}},
    {"bf16", {"bf16(x)", "x rounded to bfloat16."}},
    // Of numbers.
    {"sin", {"sin(x)", "The sine of a number."}},
    {"cos", {"cos(x)", "The cosine of a number."}},
    {"floor", {"floor(x)", "The largest integer that is at most x."}},
    {"ceil", {"ceil(x)", "The smallest integer that is at least x."}},
    {"sign", {"sign(x)", "−1, 0 or 1, by the sign of a number."}},
    {"π", {"π, pi", "The number 3.14159…"}},
    // Of configurations and tensors of a container.
    {"either",
     {"either(a, b)",
      "Two spellings of one fact; if both exist, they must agree."}},
    {"one_of",
     {"one_of(a, \"x\", \"y\")",
      "a, which is one of these words or a list of them; another word is an "
      "error."}},
    {"exists", {"exists(\"tensor\")", "Whether the container has a tensor."}},
    {"shape", {"shape(\"tensor\")[0]", "The sizes of a tensor's axes."}},
    {"format",
     {"format(\"tensor\")", "A tensor's storage format, such as \"f32\"."}},
    {"value",
     {"value(\"tensor\")",
      "A tensor with one element as a number, a row as a list."}},
    {"count", {"count(\"a.*.b\")", "The number of tensors with such a name."}},
    {"same",
     {"same(\"a\", \"b\")", "Whether two tensors have the same values."}},
    {"token",
     {"token(\"</s>\")",
      "The id of a token in the vocabulary, `none` if it lacks it."}},
    {"codes",
     {"codes(\"__*__\")", "The tokens that match, by the text at the star."}},
    {"file",
     {"file(\"1_Pooling/config.json\")",
      "Another JSON file of the model, `none` if it is missing."}},
    {"length", {"length(list)", "The number of elements of a list."}},
    {"split", {"split(text, separator)", "The pieces of a text, as a list."}},
    {"error", {"error(\"…\")", "Refuses the model with a message."}},
};

const std::map<std::string_view, Word> &functionWords() {
  static const std::map<std::string_view, Word> words(std::begin(functionList),
                                                      std::end(functionList));
  return words;
}

} // namespace transfold::lsp
