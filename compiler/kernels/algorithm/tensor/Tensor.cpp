// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move or combine individual entries.

#include "compiler/kernels/algorithm/tensor/Tensor.h"

#include "base/exact/Dim.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

Tensor AlgorithmBuilder::define(const std::string &operation,
                                std::vector<Axis> axes, const Entry &entry,
                                const std::optional<Var> &piece) {
  Func function(uniqueName(operation));
  std::vector<Var> variables = indexVariables(axes.size());
  function(innermostFirst(variables, piece)) =
      entry(Indices(variables.begin(), variables.end()));
  Tensor result{std::move(axes), entriesOf(function, piece)};
  result.piece = piece;
  return result;
}

//===----------------------------------------------------------------------===//
// Entry by entry
//===----------------------------------------------------------------------===//

/// The entries of `input` at the positions that `where` maps indices to. The
/// result is in memory, and rounded, if `input` is.
static Tensor moved(std::vector<Axis> axes, const Tensor &input,
                    const std::function<Indices(const Indices &)> &where) {
  Tensor result{
      std::move(axes),
      [at = input.at, where](const Indices &i) { return at(where(i)); },
      input.isStored};
  if (input.narrow)
    result.narrow = [narrow = input.narrow, where](const Indices &i) {
      return narrow(where(i));
    };
  return result;
}

Tensor AlgorithmBuilder::constant(const Expr &value, std::vector<Axis> axes) {
  return {std::move(axes), [=](const Indices &) { return value; }, true};
}

Tensor AlgorithmBuilder::length(const Axis &axis) {
  Tensor number = constant(cast<float>(extent(axis)));
  number.count = extent(axis);
  return number;
}

Tensor AlgorithmBuilder::unary(const std::string &name, const Tensor &input,
                               const std::function<Expr(Expr)> &function) {
  return define(
      name, input.axes, [&](const Indices &i) { return function(input.at(i)); },
      input.piece);
}

// The indices of an operand with labels `own`, where the result has `labels`.
static Indices pick(const Indices &indices, const Labels &labels,
                    const Labels &own) {
  Indices picked;
  for (const std::string &label : own)
    picked.push_back(indices[static_cast<size_t>(
        std::find(labels.begin(), labels.end(), label) - labels.begin())]);
  return picked;
}

// The axes of a result with `labels`, from those of the operands.
static std::vector<Axis> axesOf(const Labels &labels, const Tensor &lhs,
                                const Labels &lhsLabels, const Tensor &rhs,
                                const Labels &rhsLabels) {
  std::vector<Axis> axes;
  for (const std::string &label : labels) {
    auto left = std::find(lhsLabels.begin(), lhsLabels.end(), label);
    auto right = std::find(rhsLabels.begin(), rhsLabels.end(), label);
    axes.push_back(left != lhsLabels.end()
                       ? lhs.axes[left - lhsLabels.begin()]
                       : rhs.axes[right - rhsLabels.begin()]);
  }
  return axes;
}

Tensor
AlgorithmBuilder::pointwise(const std::string &name, const Tensor &lhs,
                            const Labels &lhsLabels, const Tensor &rhs,
                            const Labels &rhsLabels, const Labels &labels,
                            const std::function<Expr(Expr, Expr)> &function) {
  return define(
      name, axesOf(labels, lhs, lhsLabels, rhs, rhsLabels),
      [&](const Indices &i) {
        return function(lhs.at(pick(i, labels, lhsLabels)),
                        rhs.at(pick(i, labels, rhsLabels)));
      },
      lhs.piece ? lhs.piece : rhs.piece);
}

//===----------------------------------------------------------------------===//
// Selecting and reordering
//===----------------------------------------------------------------------===//

Tensor AlgorithmBuilder::gather(const Tensor &table, const Tensor &rows) {
  std::vector<Axis> axes = rows.axes;
  axes.insert(axes.end(), table.axes.begin() + 1, table.axes.end());
  size_t rank = rows.axes.size();
  // The runtime rejects tokens that the table lacks; the clamp keeps any other
  // caller inside the table. A table that is defined by index may have a length
  // that no buffer in memory has; such a table has no end.
  const Axis &axis = table.axes[0];
  Expr last;
  if (!axis.isLength() || lengths.contains(axis.length))
    last = extent(axis) - 1;
  auto at = [=](const Indices &i) {
    Expr row = rows.at(Indices(i.begin(), i.begin() + rank));
    Indices position{last.defined() ? clamp(row, 0, last) : row};
    position.insert(position.end(), i.begin() + rank, i.end());
    return table.at(position);
  };
  return {std::move(axes), at, table.isStored};
}

Tensor AlgorithmBuilder::slice(const Tensor &input, unsigned axis,
                               const Expr &offset, std::vector<Axis> axes) {
  Expr last = extent(input.axes[axis]) - 1;
  bool mayEndBehind = axes[axis].isLength();
  // Rows without the first or last ones.
  auto size = Dim::parse(axes[axis].length),
       before = Dim::parse(input.axes[axis].length);
  if (auto more = size && before ? (*before - *size).asNumber() : std::nullopt)
    lengths.try_emplace(axes[axis].length, last + 1 - static_cast<int>(*more));
  return moved(std::move(axes), input, [=](const Indices &i) {
    Indices position = i;
    position[axis] = position[axis] + offset;
    if (mayEndBehind)
      position[axis] = min(position[axis], last);
    return position;
  });
}

Tensor AlgorithmBuilder::select(const Tensor &input, unsigned axis,
                                int64_t position) {
  std::vector<Axis> axes = input.axes;
  axes.erase(axes.begin() + axis);
  Expr index = static_cast<int>(position);
  if (position < 0)
    index = index + extent(input.axes[axis]);
  return moved(std::move(axes), input, [=](const Indices &i) {
    Indices whole = i;
    whole.insert(whole.begin() + axis, index);
    return whole;
  });
}

Tensor AlgorithmBuilder::repeat(const Tensor &input, unsigned axis,
                                int64_t times) {
  std::vector<Axis> axes = input.axes;
  if (axes[axis].isLength())
    throw std::runtime_error("repeats along a length are not supported");
  axes[axis].size *= times;
  return moved(std::move(axes), input, [=](const Indices &i) {
    Indices position = i;
    position[axis] = position[axis] / static_cast<int>(times);
    return position;
  });
}

Tensor AlgorithmBuilder::stack(const std::vector<Tensor> &members) {
  std::vector<Axis> axes = members[0].axes;
  axes.insert(axes.begin(), Axis{static_cast<int64_t>(members.size()), ""});
  return define("stack", std::move(axes), [&](const Indices &i) {
    Indices inner(i.begin() + 1, i.end());
    Expr entry = members.back().at(inner);
    for (size_t k = members.size() - 1; k-- > 0;)
      entry = Halide::select(i[0] == static_cast<int>(k), members[k].at(inner),
                             entry);
    return entry;
  });
}

Tensor AlgorithmBuilder::append(const Tensor &lhs, const Tensor &rhs,
                                unsigned axis, std::vector<Axis> axes) {
  Expr border = extent(lhs.axes[axis]);
  if (axes[axis].isLength())
    lengths.try_emplace(axes[axis].length, border + extent(rhs.axes[axis]));
  return define("append", std::move(axes), [&](const Indices &i) {
    Indices left = i, right = i;
    left[axis] = min(i[axis], border - 1);
    right[axis] = max(i[axis] - border, 0);
    return Halide::select(i[axis] < border, lhs.at(left), rhs.at(right));
  });
}

Tensor AlgorithmBuilder::patches(const Tensor &image, int64_t size,
                                 std::vector<Axis> axes) {
  int side = static_cast<int>(size);
  int across = static_cast<int>(image.axes[2].size) / side;
  auto at = [=](const Indices &i) {
    Expr column = i[1] % side, line = i[1] / side;
    return image.at({line / side, i[0] / across * side + line % side,
                     i[0] % across * side + column});
  };
  return {std::move(axes), at, image.isStored};
}

Tensor AlgorithmBuilder::rearrange(const Tensor &input,
                                   const std::vector<Labels> &from,
                                   const std::vector<Labels> &to,
                                   std::vector<Axis> axes) {
  // The size of an axis, on either side, divided by the known sizes of its
  // labels, is the size of its label if only one is unknown.
  std::map<std::string, Expr> sizes;
  auto collect = [&](const std::vector<Labels> &groups,
                     const std::vector<Axis> &own) {
    for (size_t i = 0; i < groups.size(); ++i) {
      Expr rest = extent(own[i]);
      std::vector<std::string> open;
      for (const std::string &label : groups[i])
        if (auto known = sizes.find(label); known != sizes.end())
          rest = Halide::Internal::simplify(rest / known->second);
        else
          open.push_back(label);
      if (open.size() == 1)
        sizes.emplace(open[0], rest);
    }
  };
  for (size_t known = 0;; known = sizes.size()) {
    collect(from, input.axes);
    collect(to, axes);
    if (sizes.size() == known)
      break;
  }
  for (const std::vector<Labels> *groups : {&from, &to})
    for (const Labels &group : *groups)
      for (const std::string &label : group)
        if (!sizes.count(label))
          throw std::runtime_error("the size of label " + label +
                                   " is on no axis");

  return moved(std::move(axes), input, [=](const Indices &indices) {
    std::map<std::string, Expr> position;
    for (size_t i = 0; i < to.size(); ++i) {
      Expr rest = indices[i];
      for (size_t k = to[i].size(); k-- > 0;) {
        const std::string &label = to[i][k];
        position[label] = k ? rest % sizes.at(label) : rest;
        rest = rest / sizes.at(label);
      }
    }
    Indices merged;
    for (const Labels &group : from) {
      Expr index = 0;
      for (const std::string &label : group)
        index = index * sizes.at(label) + position.at(label);
      merged.push_back(index);
    }
    return merged;
  });
}

} // namespace transfold::kernels
