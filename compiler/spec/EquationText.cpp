// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the equations of a model for --emit=equations. Each operation has an
// overload of `text` for the right side of its line; `write` adds the result,
// the labels and the place in the spec.

#include "compiler/spec/EquationText.h"
#include "compiler/spec/Model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::spec {

/// A value by its number: "%4".
static std::string text(ValueId value) { return fmt::format("%{}", value); }

/// The labels of a value's axes: "[n, c]".
static std::string text(const Labels &labels) {
  return fmt::format("[{}]", fmt::join(labels, ", "));
}

/// A shape, whose sizes may be polynomials over lengths: "[n, 384]".
static std::string text(const std::vector<Dim> &shape) {
  std::vector<std::string> sizes;
  for (const Dim &size : shape)
    sizes.push_back(size.str());
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

/// "%3[n, k]"; a scalar has no brackets.
static std::string text(const Operand &operand) {
  return text(operand.value) +
         (operand.labels.empty() ? "" : text(operand.labels));
}

/// The axes of a rearrangement: "n (i c)".
static std::string text(const std::vector<Labels> &axes) {
  std::vector<std::string> groups;
  for (const Labels &axis : axes)
    groups.push_back(axis.size() == 1
                         ? axis.front()
                         : fmt::format("({})", fmt::join(axis, " ")));
  return fmt::format("{}", fmt::join(groups, " "));
}

/// The values of a loop, which have consecutive numbers: "%7, %8".
static std::string listOf(ValueId first, size_t count) {
  std::vector<std::string> values;
  for (size_t k = 0; k < count; ++k)
    values.push_back(text(first + ValueId(k)));
  return fmt::format("{}", fmt::join(values, ", "));
}

//===----------------------------------------------------------------------===//
// The right sides
//===----------------------------------------------------------------------===//

/// The path of a weight and the loop variables that select its member: "weight
/// layers.attn.W_Q[l]". The last `families` indices are left out, because they
/// are leading axes of the value and not positions that the step selects.
static std::string text(const step::ReadWeight &read) {
  std::vector<std::string> indices;
  const BoundWeight &weight = read.weight;
  for (size_t k = 0; k + weight.families < weight.indices.size(); ++k)
    indices.push_back(weight.indices[k].first);
  return "weight " + weight.name + (indices.empty() ? "" : text(indices));
}

static std::string text(const step::Constant &constant) {
  return constant.value.str();
}

static std::string text(const step::Fill &fill) {
  return fmt::format("fill {} {}", fill.value, text(fill.shape));
}

static std::string text(const step::Tabulate &table) {
  return fmt::format("table {} {}", table.function.str(), text(table.shape));
}

/// The label under Σ is not stored in the step: it is each label that both
/// operands have and the result has not.
static std::string text(const step::Contract &product) {
  Labels summed;
  for (const std::string &label : product.a.labels)
    if (std::ranges::count(product.b.labels, label) &&
        !std::ranges::count(product.out, label))
      summed.push_back(label);
  return fmt::format("Σ{} {} * {}", text(summed), text(product.a),
                     text(product.b));
}

/// The forms are in the order of `Binary`.
static std::string text(const step::Elementwise &operation) {
  static constexpr const char *forms[] = {"{} + {}", "{} - {}", "{} * {}",
                                          "{} / {}", "max({}, {})"};
  return fmt::format(fmt::runtime(forms[int(operation.kind)]),
                     text(operation.a), text(operation.b));
}

/// The exact factor, followed by its text in the spec, from which a reader
/// recognizes it.
static std::string text(const step::Scale &scale) {
  return fmt::format("%{} * {} (\"{}\")", scale.x, scale.factor.str(),
                     scale.written);
}

/// The names are in the order of `Unary`.
static std::string text(const step::Apply &apply) {
  static constexpr const char *names[] = {
      "relu", "gelu", "sigmoid", "tanh", "abs", "exp", "log2", "log1p", "-"};
  return fmt::format("{}(%{})", names[int(apply.kind)], apply.x);
}

static std::string text(const step::Power &power) {
  return fmt::format("%{}^({})", power.x, power.exponent.str());
}

/// A missing bound is printed as "none".
static std::string text(const step::Clamp &clamp) {
  auto bound = [](const std::optional<ExactScalar> &number) {
    return number ? number->str() : "none";
  };
  return fmt::format("clamp(%{}, {}, {})", clamp.x, bound(clamp.least),
                     bound(clamp.most));
}

/// The kinds under the names that they have in specs.
static std::string text(const step::Normalize &normalize) {
  if (normalize.kind == RowWise::Unit)
    return fmt::format("unit(%{})", normalize.x);
  return fmt::format("{}(%{}, ε = {})",
                     normalize.kind == RowWise::UnitRms ? "unit_rms"
                                                        : "standardize",
                     normalize.x, normalize.epsilon.str());
}

/// The softmax with the condition that admits entries, if there is one: an
/// index function or a boolean matrix, never both.
static std::string text(const step::Softmax &softmax) {
  std::string where;
  if (softmax.mask)
    where = " | " + softmax.mask->str();
  if (softmax.among)
    where = " | " + text(*softmax.among);
  if (softmax.sink)
    where += ", sink = " + text(*softmax.sink);
  return fmt::format("softmax(%{}{})", softmax.x, where);
}

static std::string text(const step::Reduce &reduce) {
  static constexpr const char *names[] = {"sum", "mean", "max"};
  return fmt::format("{}(%{}, axis = {})", names[int(reduce.kind)], reduce.x,
                     reduce.axis);
}

static std::string text(const step::Round &round) {
  return fmt::format("{}(%{})", round.dtype, round.x);
}

static std::string text(const step::Gather &gather) {
  return fmt::format("%{}[%{}]", gather.table, gather.indices);
}

/// "+:" precedes a count of positions, as in specs.
static std::string text(const step::Slice &slice) {
  return fmt::format("slice(%{}, axis = {}, {} +: {})", slice.x, slice.axis,
                     slice.offset, slice.size.str());
}

static std::string text(const step::Select &select) {
  return fmt::format("select(%{}, axis = {}, {})", select.x, select.axis,
                     select.index);
}

/// In the notation of einops: "i n c -> n (i c)".
static std::string text(const step::Rearrange &rearrange) {
  return fmt::format("rearrange %{} \"{} -> {}\"", rearrange.x,
                     text(rearrange.from), text(rearrange.to));
}

static std::string text(const step::Repeat &repeat) {
  return fmt::format("repeat(%{}, axis = {}, {} times)", repeat.x, repeat.axis,
                     repeat.times);
}

static std::string text(const step::Append &append) {
  return fmt::format("append(%{}, %{}, axis = {})", append.a, append.b,
                     append.axis);
}

static std::string text(const step::Rotate &rotate) {
  return fmt::format("rotate(%{}, {})", rotate.x, rotate.angles.str());
}

static std::string text(const step::Top &top) {
  return fmt::format("top(%{}, {})", top.x, top.count);
}

static std::string text(const step::Unfold &unfold) {
  return fmt::format("unfold(%{}, stride = {}, pad = {}{}) {}", unfold.x,
                     unfold.stride, unfold.pad,
                     unfold.isReflected ? ", border = \"reflect\"" : "",
                     text(unfold.shape));
}

static std::string text(const step::Delay &delay) {
  return fmt::format("delay(%{}, axis = {}, {})", delay.x, delay.axis,
                     delay.by);
}

static std::string text(const step::Patches &patches) {
  return fmt::format("patches(%{}, {})", patches.x, patches.size);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// "    // bert.xf:12:9", without the folders of the file.
static std::string comment(const Place &place) {
  if (!place.source)
    return "";
  const std::string &path = place.source->path;
  return fmt::format("    // {}:{}:{}", path.substr(path.rfind('/') + 1),
                     place.line, place.column);
}

/// The labels of the value that a step makes, if it is in index notation.
static std::string labelsOf(const step::Operation &operation) {
  auto shown = [](const Labels &labels) {
    return labels.empty() ? "" : text(labels);
  };
  if (auto *product = std::get_if<step::Contract>(&operation))
    return shown(product->out);
  if (auto *elementwise = std::get_if<step::Elementwise>(&operation))
    return shown(elementwise->out);
  return "";
}

static void write(const std::vector<Step> &steps, const std::string &indent,
                  std::string &out);

/// Writes a loop as a block: the first line binds the carried values of the
/// body to those before the first round, the last one names their values after
/// a round.
static void write(const Step &each, const step::Loop &loop,
                  const std::string &indent, std::string &out) {
  const size_t count = loop.carried.size();
  std::vector<std::string> initial, next;
  for (size_t k = 0; k < count; ++k) {
    initial.push_back(
        fmt::format("%{} = %{}", loop.current + ValueId(k), loop.carried[k]));
    next.push_back(text(loop.next[k]));
  }
  out += fmt::format("{}{} = for {} < {} with {} {{{}\n", indent,
                     listOf(each.result, count), loop.variable, loop.count,
                     fmt::join(initial, ", "), comment(each.place));
  write(loop.body, indent + "  ", out);
  out +=
      fmt::format("{}  next {}\n{}}}\n", indent, fmt::join(next, ", "), indent);
}

/// Writes a recurrence as a block: the first line binds the state before the
/// first position and the rows of a position, the last one names the state
/// after the position.
static void write(const Step &each, const step::Recurrence &recurrence,
                  const std::string &indent, std::string &out) {
  std::vector<std::string> rows;
  for (size_t k = 0; k < recurrence.rows.size(); ++k)
    rows.push_back(
        fmt::format("%{} in %{} axis {}", recurrence.firstRow + ValueId(k),
                    recurrence.rows[k].value, recurrence.rows[k].axis));
  out += fmt::format("{}%{} axis {} = recurrence{} {} from %{} = %{} {{{}\n",
                     indent, each.result, recurrence.axis,
                     recurrence.backwards ? " backwards" : "",
                     fmt::join(rows, ", "), recurrence.state,
                     recurrence.initial, comment(each.place));
  write(recurrence.body, indent + "  ", out);
  out += fmt::format("{0}  next %{1}\n{0}}}\n", indent, recurrence.next);
}

/// Writes one line for each step, and several for a loop or a recurrence.
static void write(const std::vector<Step> &steps, const std::string &indent,
                  std::string &out) {
  for (const Step &each : steps)
    std::visit(
        [&]<typename Operation>(const Operation &operation) {
          if constexpr (std::is_same_v<Operation, step::Loop> ||
                        std::is_same_v<Operation, step::Recurrence>)
            write(each, operation, indent, out);
          else
            out += fmt::format("{}%{}{} = {}{}\n", indent, each.result,
                               labelsOf(each.operation), text(operation),
                               comment(each.place));
        },
        each.operation);
}

/// "entry embed(%0: tokens[n], %1: segments[n]) -> pooled[384]"
static std::string signatureOf(const EntryInfo &entry) {
  std::vector<std::string> arguments, results;
  for (const ArgumentInfo &argument : entry.arguments)
    arguments.push_back(fmt::format("%{}: {}{}", arguments.size(),
                                    argument.name, text(argument.shape)));
  for (const ResultInfo &result : entry.results)
    results.push_back(result.name + text(result.shape));
  return fmt::format("entry {}({}) -> {}", entry.name,
                     fmt::join(arguments, ", "), fmt::join(results, ", "));
}

std::string equationText(const Model &model) {
  std::string out;
  for (size_t k = 0; k < model.entries().size(); ++k) {
    const Equations &equations = model.equations()[k];
    std::vector<std::string> results;
    for (ValueId result : equations.results)
      results.push_back(text(result));
    out += signatureOf(model.entries()[k]) + " {\n";
    write(equations.steps, "  ", out);
    out += fmt::format("  return {}\n}}\n", fmt::join(results, ", "));
  }
  return out;
}

} // namespace transfold::spec
