// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the layout that a table states for a tensor into strides. Axes are
// products of named factors; the same factors occur in the declaration of a
// weight and in the stored shape, and their order there determines each stride.

#include "compiler/spec/values/Layout.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace transfold::spec {

/// Appends the operands of nested binary operations of `kind`, from left to
/// right.
static void flatten(ExprKind kind, const ExprPtr &expr,
                    std::vector<ExprPtr> &into) {
  if (expr->kind != kind) {
    into.push_back(expr);
    return;
  }
  flatten(kind, expr->operands[0], into);
  flatten(kind, expr->operands[1], into);
}

std::vector<ExprPtr> factorsOf(const ExprPtr &expr) {
  std::vector<ExprPtr> result;
  flatten(ExprKind::Multiply, expr, result);
  return result;
}

std::vector<ExprPtr> termsOf(const ExprPtr &expr) {
  std::vector<ExprPtr> result;
  flatten(ExprKind::Add, expr, result);
  return result;
}

std::vector<std::vector<AxisFactor>> declaredAxes(const Weight &weight,
                                                  const Binding &binding) {
  std::map<std::string, ExprPtr> splits(binding.splits.begin(),
                                        binding.splits.end());
  std::map<std::string, unsigned> seen;
  std::vector<std::vector<AxisFactor>> result;
  // W[e] = "…{e}…" places one member: the first axes are its indices.
  for (size_t i = std::min(binding.indices.size(), weight.dims.size());
       i < weight.dims.size(); ++i) {
    result.emplace_back();
    for (const ExprPtr &factor : factorsOf(weight.dims[i])) {
      auto split = splits.find(text(*factor));
      for (const ExprPtr &piece : split == splits.end()
                                      ? std::vector<ExprPtr>{factor}
                                      : factorsOf(split->second)) {
        std::string key = text(*piece);
        result.back().push_back({key + std::string(seen[key]++, '\''), piece});
      }
    }
  }
  return result;
}

namespace {
/// A factor of a stored axis; the second d of a declaration is d'.
struct AxisPart {
  std::string key;
  ExprPtr expr;
  int64_t size = 0;
  int64_t stride = 0;
};

/// An axis of the stored tensor: a product of factors, or a sum of products if
/// several weights are stored along it.
struct StoredAxis {
  ExprPtr written;
  std::vector<AxisPart> parts;              // not a sum
  std::vector<std::vector<AxisPart>> terms; // a sum: q rows, k rows, v rows
  int64_t size = 1;
};
} // namespace

/// The factors of the declared axes.
static std::vector<std::vector<AxisPart>>
declaredParts(const Weight &weight, const Binding &binding) {
  std::vector<std::vector<AxisPart>> result;
  for (const std::vector<AxisFactor> &axis : declaredAxes(weight, binding)) {
    result.emplace_back();
    for (const AxisFactor &factor : axis)
      result.back().push_back({factor.key, factor.expr});
  }
  return result;
}

/// Returns the keys of all declared factors.
static std::set<std::string>
keysOf(const std::vector<std::vector<AxisPart>> &declared) {
  std::set<std::string> keys;
  for (const auto &axis : declared)
    for (const AxisPart &part : axis)
      keys.insert(part.key);
  return keys;
}

/// The factor of a stored axis, without the ' that marks the second d.
static AxisPart namedPart(const ExprPtr &factor) {
  const ExprPtr *expr = &factor;
  while ((*expr)->kind == ExprKind::Transpose) // the ' of the second d
    expr = &(*expr)->operands[0];
  return {text(*factor), *expr};
}

/// The stored axes as the table gives them; without `as`, as declared.
static std::vector<StoredAxis>
storedAxes(const Weight &weight, const Binding &binding,
           const std::vector<std::vector<AxisPart>> &declared, bool reversed) {
  std::vector<StoredAxis> result;
  if (!binding.axes) {
    size_t first = weight.dims.size() - declared.size();
    for (size_t i = 0; i < declared.size(); ++i)
      result.push_back({weight.dims[first + i], declared[i], {}});
    if (reversed)
      std::reverse(result.begin(), result.end());
    return result;
  }
  const std::set<std::string> keys = keysOf(declared);
  for (const ExprPtr &axis : *binding.axes) {
    StoredAxis stored{axis, {}, {}};
    // A sum that is declared as such (N + 1) is an axis; else it is a fusion.
    if (keys.count(text(*axis))) {
      stored.parts.push_back(namedPart(axis));
    } else if (axis->kind == ExprKind::Add) {
      for (const ExprPtr &term : termsOf(axis)) {
        stored.terms.emplace_back();
        for (const ExprPtr &factor : factorsOf(term))
          stored.terms.back().push_back(namedPart(factor));
      }
    } else {
      for (const ExprPtr &factor : factorsOf(axis))
        stored.parts.push_back(namedPart(factor));
    }
    result.push_back(std::move(stored));
  }
  return result;
}

/// The product of sizes, saturated: sizes come from files and may be arbitrary,
/// and no tensor has INT64_MAX elements.
static int64_t times(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

/// The size of an axis with these factors; INT64_MAX if it is larger.
static int64_t productOf(const std::vector<AxisPart> &parts) {
  int64_t size = 1;
  for (const AxisPart &part : parts)
    size = times(size, part.size);
  return size;
}

/// The products of the first k sizes, for all k. Shapes that differ by merged
/// or split neighboring axes have some of these in common.
static std::set<int64_t> ends(const std::vector<int64_t> &sizes) {
  std::set<int64_t> result{1};
  int64_t product = 1;
  for (int64_t size : sizes)
    result.insert(product = times(product, size));
  return result;
}

/// Whether `b` is a subset of `a`.
static bool includes(const std::set<int64_t> &a, const std::set<int64_t> &b) {
  return std::includes(a.begin(), a.end(), b.begin(), b.end());
}

/// The number of elements of a shape; INT64_MAX if it is larger.
static int64_t productOf(const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product = times(product, size);
  return product;
}

/// Whether a tensor of shape `stored` has these axes, up to merged or split
/// neighbors.
static bool fits(const std::vector<int64_t> &stored,
                 const std::vector<int64_t> &axes,
                 const std::vector<int64_t> &factors) {
  return productOf(stored) == productOf(axes) &&
         (includes(ends(factors), ends(stored)) ||
          includes(ends(stored), ends(axes)));
}

/// A shape as messages show it: "[384, 1536]".
static std::string list(const std::vector<int64_t> &sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

/// Merges factors that are contiguous in storage, and drops factors of size 1.
static std::vector<Storage::Factor>
simplified(const std::vector<AxisPart> &parts) {
  std::vector<Storage::Factor> result;
  for (const AxisPart &part : parts) {
    if (part.size == 1)
      continue;
    if (!result.empty() && result.back().stride == part.size * part.stride)
      result.back() = {result.back().size * part.size, part.stride};
    else
      result.push_back({part.size, part.stride});
  }
  if (result.empty())
    result.push_back({1, 1});
  return result;
}

namespace {
/// The sizes of the stored axes, and of all factors that are not in a sum, in
/// the order of storage.
struct Sizes {
  std::vector<int64_t> axes, factors;
  bool anySum = false;
};
} // namespace

/// Computes the size of each axis and of each of its factors.
static Sizes measure(std::vector<StoredAxis> &axes,
                     const std::function<int64_t(const Expr &)> &sizeOf) {
  Sizes sizes;
  for (StoredAxis &axis : axes) {
    for (AxisPart &part : axis.parts) {
      part.size = sizeOf(*part.expr);
      sizes.factors.push_back(part.size);
    }
    axis.size = productOf(axis.parts);
    if (!axis.terms.empty()) {
      sizes.anySum = true;
      axis.size = 0;
      for (auto &term : axis.terms) {
        for (AxisPart &part : term)
          part.size = sizeOf(*part.expr);
        axis.size =
            std::min(INT64_MAX - productOf(term), axis.size) + productOf(term);
      }
    }
    sizes.axes.push_back(axis.size);
  }
  return sizes;
}

std::vector<int64_t>
storedShape(const Weight &weight, const Binding &binding, bool reversed,
            const std::function<int64_t(const Expr &)> &sizeOf) {
  auto axes =
      storedAxes(weight, binding, declaredParts(weight, binding), reversed);
  return measure(axes, sizeOf).axes;
}

/// Throws SpecError unless a tensor of shape `stored` has the axes that the
/// table gives, up to merged or split neighbors; `tensor` is its name.
static void checkShape(const Weight &weight, const Binding &binding,
                       const std::string &tensor,
                       const std::vector<int64_t> &stored,
                       const std::vector<StoredAxis> &axes,
                       const Sizes &measured) {
  const auto &[sizes, factors, anySum] = measured;
  if (fits(stored, sizes, anySum ? sizes : factors))
    return;
  std::string said;
  for (const StoredAxis &axis : axes)
    said += (said.empty() ? "" : ", ") + text(*axis.written);
  std::vector<std::string> notes{
      fmt::format("stored is       {}", list(stored)),
      fmt::format("the names say   [{}] = {}", said, list(sizes))};
  std::vector<int64_t> opposite(sizes.rbegin(), sizes.rend());
  if (sizes.size() == 2 && opposite == stored && !anySum)
    notes.push_back(fmt::format("The other way round it fits: as [{}, {}].",
                                text(*axes[1].written),
                                text(*axes[0].written)));
  throw SpecError(Code::TensorShape, binding.place,
                  fmt::format("{} has another shape than {} declares", tensor,
                              weight.name + text(weight.dims)),
                  notes);
}

namespace {
/// Computes the strides of the factors of one weight, and the offset of the
/// piece that `at` selects, from the last stored axis to the first.
class Strides {
public:
  /// `keys` are those of the declared factors, `selected` is the value of `at`,
  /// and `anySum` tells whether a stored axis is a sum. Sets `piece`, and the
  /// offset of `storage`.
  Strides(const Weight &weight, const Binding &binding,
          const std::vector<int64_t> &selected, std::set<std::string> keys,
          bool anySum, Storage &storage, Piece &piece);

  /// Places an axis outside of those that were added before. Throws SpecError
  /// if it is a sum that lacks the selected term.
  void add(StoredAxis &axis);
  /// Adds the selected positions of the undeclared factors to the offset, after
  /// all axes were added. Throws SpecError if `at` selects another number of
  /// them, or a position that does not exist.
  void select();
  /// Returns the declared factor `key` with its stride. Throws
  /// std::out_of_range if no axis has it.
  const AxisPart &at(const std::string &key) const { return placed.at(key); }

private:
  /// Gives consecutive factors their strides; that of the last is `inner`.
  void place(std::vector<AxisPart> &parts, int64_t inner);

  const Weight &weight;
  const Binding &binding;
  const std::vector<int64_t> &selected;
  const std::set<std::string> keys;
  Storage &storage;
  Piece &piece;
  std::map<std::string, AxisPart> placed;
  // (size, stride) of undeclared factors, the last axis first
  std::vector<std::pair<int64_t, int64_t>> free;
  int64_t stride = 1;
  size_t next = 0; // of `selected`
  std::optional<int64_t> chosenTerm;
};
} // namespace

Strides::Strides(const Weight &weight, const Binding &binding,
                 const std::vector<int64_t> &selected,
                 std::set<std::string> keys, bool anySum, Storage &storage,
                 Piece &piece)
    : weight(weight), binding(binding), selected(selected),
      keys(std::move(keys)), storage(storage), piece(piece) {
  if (anySum)
    chosenTerm = selected.empty() ? 0 : selected[next++];
}

void Strides::place(std::vector<AxisPart> &parts, int64_t inner) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    part->stride = inner;
    inner *= part->size;
    if (keys.count(part->key))
      placed[part->key] = *part;
    else if (part->key != "1")
      free.emplace_back(part->size, part->stride);
  }
}

void Strides::add(StoredAxis &axis) {
  if (axis.terms.empty()) {
    place(axis.parts, stride);
  } else {
    if (*chosenTerm < 0 || size_t(*chosenTerm) >= axis.terms.size())
      throw SpecError(Code::PieceSelection, binding.place,
                      fmt::format("`at` selects piece {} of {}", *chosenTerm,
                                  axis.terms.size()));
    for (int64_t k = 0; k < *chosenTerm; ++k)
      storage.offset += productOf(axis.terms[k]) * stride;
    place(axis.terms[*chosenTerm], stride);
    piece.total *= int64_t(axis.terms.size());
    piece.chosen.push_back(*chosenTerm);
  }
  stride *= axis.size;
}

void Strides::select() {
  std::reverse(free.begin(), free.end());
  if (selected.size() - next != free.size())
    throw SpecError(
        Code::PieceSelection, binding.place,
        fmt::format(
            "{} stored axes are not declared by {}, and `at` selects {}",
            free.size(), weight.name + text(weight.dims),
            selected.size() - next));
  for (auto [size, step] : free) {
    int64_t chosen = selected[next++];
    if (chosen < 0 || chosen >= size)
      throw SpecError(Code::PieceSelection, binding.place,
                      fmt::format("`at` selects piece {} of {}", chosen, size));
    storage.offset += chosen * step;
    piece.total *= size;
    piece.chosen.push_back(chosen);
  }
}

Storage layOut(const Weight &weight, const Binding &binding,
               const std::string &tensor, const std::vector<int64_t> &stored,
               bool reversed, const std::vector<int64_t> &selected,
               const std::function<int64_t(const Expr &)> &sizeOf,
               Piece &piece) {
  auto declared = declaredParts(weight, binding);
  auto axes = storedAxes(weight, binding, declared, reversed);
  const Sizes measured = measure(axes, sizeOf);
  checkShape(weight, binding, tensor, stored, axes, measured);

  Storage storage;
  storage.tensor = tensor;
  Strides strides(weight, binding, selected, keysOf(declared), measured.anySum,
                  storage, piece);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    strides.add(*axis);
  strides.select();
  for (auto &axis : declared) {
    for (AxisPart &part : axis)
      part = strides.at(part.key);
    storage.axes.push_back(simplified(axis));
  }
  return storage;
}

} // namespace transfold::spec
