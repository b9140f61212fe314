// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Associativity, for the product of queries with keys and for that of a softmax
// with values, of head i:
//
//   Q[i] K[i]' = Q[i] (c W[i])' = (Q[i] W[i]') c'
//   P[i] V[i]  = P[i] (c U[i])  = (P[i] c) U[i]
//
// Concatenated channels are a sum, and channels that all heads share need no
// weight. With K[i] = [c W[i], R] and Q[i] = [A[i], B[i]],
//
//   Q[i] K[i]' = A[i] (c W[i])' + B[i] R' = [A[i] W[i]', B[i]] [c, R]'
//
// so that all heads have the keys [c, R], and the values are columns of them.
//
// Before:
//   %u = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k]
//   %k = xf.slice %u axis 2 from 0                   : <4, n, 28> -> <4, n, 12>
//   %K = xf.append %k, %R axis 2                     // %R repeats <n, 8>
//   %V = xf.slice %u axis 2 from 12                  : <4, n, 28> -> <4, n, 16>
//   %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m]
//   %P = xf.softmax %S
//   %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k]
// After:
//   %a = xf.slice %Q axis 2 from 0                   : <4, n, 20> -> <4, n, 12>
//   %b = xf.slice %Q axis 2 from 12
//   %t = xf.contract %a[i, n, k], %W.keys[i, r, k] -> [i, n, r]
//   %q = xf.append %t, %b axis 2
//   %z = xf.append %c, %R axis 1                     : <n, 28>
//   %S = xf.contract %q[i, n, k], %z[m, k] -> [i, n, m]
//   %P = xf.softmax %S
//   %v = xf.slice %z axis 1 from 0                   : <n, 28> -> <n, 20>
//   %x = xf.contract %P[i, n, m], %v[m, r] -> [i, n, r]
//   %H = xf.contract %x[i, n, r], %W.values[i, r, k] -> [i, n, k]
//
// Exact: the same sums of the same products; float32 rounds other partial sums.

#include "compiler/fold/order/AbsorbHeads.h"

#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/StringExtras.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

/// How many multiply-adds take as long as reading one element of a cache.
/// Processors and GPUs of today do 10 to 50; 4 leaves ordinary attention, whose
/// keys are not computed from narrow rows, as it is.
constexpr int64_t costOfReading = 4;

/// The size of an axis that is a number.
static int64_t sizeOf(Value value, unsigned axis) {
  return *xf::getNumber(xf::getShape(value.getType())[axis]);
}

//===----------------------------------------------------------------------===//
// Finding the form
//===----------------------------------------------------------------------===//

namespace {

/// Splits the keys or values of all heads, <heads, n, channels>, into channels
/// that have a weight and channels that heads share.
class HeadChannelsFinder {
public:
  /// The operations between the rows and the attention.
  llvm::SetVector<Operation *> between;

  /// The channels of `value`, in order; nullopt if it has another form.
  std::optional<SmallVector<HeadChannels>> find(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || xf::getShape(value.getType()).size() != 3)
      return std::nullopt;
    between.insert(op);
    if (auto append = dyn_cast<xf::AppendOp>(op))
      return ofAppend(append);
    if (auto slice = dyn_cast<xf::SliceOp>(op))
      return ofSlice(slice);
    if (auto repeat = dyn_cast<xf::RepeatOp>(op))
      return ofShared(repeat);
    if (auto product = dyn_cast<xf::ContractOp>(op))
      return ofProduct(product);
    return std::nullopt;
  }

private:
  using Found = std::optional<SmallVector<HeadChannels>>;

  Found ofAppend(xf::AppendOp append) {
    if (append.getAxis() != 2)
      return std::nullopt;
    Found left = find(append.getLhs()), right = find(append.getRhs());
    if (!left || !right)
      return std::nullopt;
    llvm::append_range(*left, *right);
    return left;
  }

  Found ofSlice(xf::SliceOp slice) {
    if (slice.getAxis() != 2 || slice.getFirst())
      return std::nullopt;
    Found all = find(slice.getInput());
    if (!all)
      return std::nullopt;
    SmallVector<HeadChannels> cut;
    int64_t first = slice.getOffset(),
            end = first + sizeOf(slice.getResult(), 2), at = 0;
    for (HeadChannels channels : *all) {
      const int64_t from = std::max(first - at, int64_t(0)),
                    to = std::min(end - at, channels.count);
      at += channels.count;
      if (from >= to)
        continue;
      channels.first += from;
      channels.count = to - from;
      cut.push_back(channels);
    }
    return cut;
  }

  /// Rows <n, c> that are repeated for all heads, by way of <1, n, c>.
  Found ofShared(xf::RepeatOp repeat) {
    auto split = repeat.getInput().getDefiningOp<xf::RearrangeOp>();
    if (repeat.getAxis() != 0 || !split ||
        xf::getShape(split.getType()).front() !=
            xf::getAxis(repeat.getContext(), 1) ||
        xf::getShape(split.getInput().getType()) !=
            xf::getShape(split.getType()).drop_front() ||
        !isLength(split.getInput()))
      return std::nullopt;
    between.insert(split);
    HeadChannels channels;
    channels.rows = split.getInput();
    channels.count = sizeOf(channels.rows, 1);
    return SmallVector<HeadChannels>{channels};
  }

  /// Σ_r rows[n, r] W[i, r, k]: the weight may have any order of axes.
  static Found ofProduct(xf::ContractOp product) {
    const bool isTurned = xf::isWeightOnly(product.getLhs());
    HeadChannels channels;
    channels.rows = isTurned ? product.getRhs() : product.getLhs();
    channels.weight = isTurned ? product.getLhs() : product.getRhs();
    ArrayAttr labels = product.getLabels(),
              rows = isTurned ? product.getRhsLabels() : product.getLhsLabels(),
              own = isTurned ? product.getLhsLabels() : product.getRhsLabels();
    if (!xf::isWeightOnly(channels.weight) || rows.size() != 2 ||
        own.size() != 3 || labels.size() != 3 || rows[0] != labels[1] ||
        !isLength(channels.rows))
      return std::nullopt;
    auto head = xf::findLabel(own, xf::getLabel(labels, 0)),
         rank = xf::findLabel(own, xf::getLabel(rows, 1)),
         channel = xf::findLabel(own, xf::getLabel(labels, 2));
    if (!head || !rank || !channel)
      return std::nullopt;
    channels.headAxis = *head;
    channels.rankAxis = *rank;
    channels.channelAxis = *channel;
    channels.count = sizeOf(channels.weight, *channel);
    return SmallVector<HeadChannels>{channels};
  }

  /// Whether a value is rows of a sequence, <n, c> with a number c.
  static bool isLength(Value rows) {
    ArrayRef<Attribute> shape = xf::getShape(rows.getType());
    return shape.size() == 2 && !xf::getNumber(shape[0]) &&
           xf::getNumber(shape[1]);
  }
};

} // namespace

/// The length along which `op` generates; null if its entry does not generate.
static StringAttr causalLength(Operation *op) {
  auto entry = op->getParentOfType<xf::EntryOp>();
  for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (entry.getArgAttr(number, "xf.causal"))
      for (Attribute axis : xf::getShape(type))
        if (auto length = dyn_cast<StringAttr>(axis))
          return length;
  return {};
}

/// The contraction that computes the scores of a softmax, by way of pointwise
/// operations that nothing else reads; null if there is none.
static xf::ContractOp scoresOf(xf::SoftmaxOp softmax) {
  Value scores = softmax.getInput();
  for (;;) {
    Operation *op = scores.getDefiningOp();
    if (!op || !op->hasOneUse() || op->getBlock() != softmax->getBlock())
      return {};
    if (auto product = dyn_cast<xf::ContractOp>(op))
      return product;
    if (!op->hasTrait<xf::Pointwise>())
      return {};
    auto *input = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get().getType() == scores.getType();
    });
    if (input == op->getOpOperands().end())
      return {};
    scores = input->get();
  }
}

/// Whether the labels of a product are those of matrices by heads: the result
/// has heads, rows of `left` and columns of `right`.
static bool isByHeads(ArrayAttr left, ArrayAttr right, ArrayAttr labels,
                      bool isTransposed) {
  return left.size() == 3 && right.size() == 3 && labels.size() == 3 &&
         left[0] == labels[0] && right[0] == labels[0] &&
         left[1] == labels[1] && right[isTransposed ? 1 : 2] == labels[2] &&
         left[2] == right[isTransposed ? 2 : 1];
}

std::optional<AbsorbedAttention> fold::findAbsorbed(xf::SoftmaxOp softmax) {
  StringAttr length = causalLength(softmax);
  ArrayRef<Attribute> shape = softmax.getType().getShape();
  if (!length || shape.size() != 3 || !xf::getNumber(shape[0]) ||
      shape[1] != length || shape[2] != length || softmax.getAmong() ||
      !softmax->hasOneUse())
    return std::nullopt;
  AbsorbedAttention found;
  found.softmax = softmax;
  found.heads = *xf::getNumber(shape[0]);
  found.scores = scoresOf(softmax);
  found.mixture = dyn_cast<xf::ContractOp>(*softmax->user_begin());
  if (!found.scores || !found.mixture ||
      found.mixture.getLhs() != softmax.getResult() ||
      !isByHeads(found.scores.getLhsLabels(), found.scores.getRhsLabels(),
                 found.scores.getLabels(), /*isTransposed=*/true) ||
      !isByHeads(found.mixture.getLhsLabels(), found.mixture.getRhsLabels(),
                 found.mixture.getLabels(), /*isTransposed=*/false))
    return std::nullopt;
  found.queries = found.scores.getLhs();

  HeadChannelsFinder finder;
  auto keys = finder.find(found.scores.getRhs()),
       values = finder.find(found.mixture.getRhs());
  if (!keys || !values || values->size() != 1 || !values->front().weight ||
      llvm::none_of(*keys, [](const HeadChannels &channels) {
        return static_cast<bool>(channels.weight);
      }))
    return std::nullopt;
  // What other operations read is computed anyway.
  for (Operation *op : finder.between)
    for (Operation *user : op->getUsers())
      if (user != found.scores && user != found.mixture &&
          !finder.between.contains(user))
        return std::nullopt;
  found.keys = *keys;
  found.values = values->front();
  return found;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t HeadChannels::kept() const { return weight ? sizeOf(rows, 1) : count; }

/// The channels of keys, for each head.
static int64_t channelsOfKeys(const AbsorbedAttention &attention) {
  int64_t sum = 0;
  for (const HeadChannels &channels : attention.keys)
    sum += channels.count;
  return sum;
}

/// The channels of the rows that replace the keys.
static int64_t widthOfRows(const AbsorbedAttention &attention) {
  int64_t sum = 0;
  for (const HeadChannels &channels : attention.keys)
    sum += channels.kept();
  return sum;
}

/// The first channel, in the rows that replace the keys, of those that the
/// values are computed from; nullopt if they are other rows.
static std::optional<int64_t> valuesInKeys(const AbsorbedAttention &attention) {
  int64_t at = 0;
  for (const HeadChannels &channels : attention.keys) {
    if (channels.weight && channels.rows == attention.values.rows)
      return at;
    at += channels.kept();
  }
  return std::nullopt;
}

int64_t AbsorbedAttention::keptAsHeads() const {
  return heads * (channelsOfKeys(*this) + values.count);
}

int64_t AbsorbedAttention::keptAsRows() const {
  return widthOfRows(*this) + (valuesInKeys(*this) ? 0 : values.kept());
}

int64_t AbsorbedAttention::costAsHeads() const {
  return heads * (channelsOfKeys(*this) + values.count);
}

int64_t AbsorbedAttention::costAsRows() const {
  return heads * (widthOfRows(*this) + values.kept());
}

bool AbsorbedAttention::isCheaper() const {
  return costAsRows() + costOfReading * keptAsRows() <
         costAsHeads() + costOfReading * keptAsHeads();
}

std::optional<int64_t> AbsorbedAttention::manyRows() const {
  // rows · costAsRows > rows · costAsHeads + expansion, for each position.
  int64_t expansion = heads * values.kept() * values.count;
  for (const HeadChannels &channels : keys)
    if (channels.weight)
      expansion += heads * channels.kept() * channels.count;
  const int64_t saved = costAsRows() - costAsHeads();
  return saved > 0 ? std::optional(expansion / saved + 1) : std::nullopt;
}

std::string AbsorbedAttention::names() const {
  llvm::SetVector<StringRef> names;
  auto add = [&](const HeadChannels &channels) {
    if (xf::StoredOp stored = xf::storedOf(channels.weight))
      names.insert(stored.getSymName());
  };
  for (const HeadChannels &channels : keys)
    if (channels.weight)
      add(channels);
  add(values);
  return llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// The rewriting
//===----------------------------------------------------------------------===//

namespace {

/// Creates the operations before the scores or after the mixture.
class HeadsBuilder {
public:
  explicit HeadsBuilder(Operation *place)
      : builder(place), loc(place->getLoc()) {}

  /// `count` positions of an axis from `first` on: an operand of a
  /// concatenation if they are just that.
  Value slice(Value value, unsigned axis, int64_t first, int64_t count) {
    if (first == 0 && count == sizeOf(value, axis))
      return value;
    if (auto append = value.getDefiningOp<xf::AppendOp>();
        append && append.getAxis() == axis) {
      const int64_t left = sizeOf(append.getLhs(), axis);
      if (first + count <= left)
        return slice(append.getLhs(), axis, first, count);
      if (first >= left)
        return slice(append.getRhs(), axis, first - left, count);
    }
    return cut(value, axis, first, count);
  }

  /// `count` positions of an axis, as an operation on `value` itself.
  Value cut(Value value, unsigned axis, int64_t first, int64_t count) {
    return xf::SliceOp::create(builder, loc, withSize(value, axis, count),
                               value, axis, first);
  }

  /// Two values side by side; `left` may be null.
  Value append(Value left, Value right, unsigned axis) {
    if (!left)
      return right;
    return xf::AppendOp::create(
        builder, loc,
        withSize(left, axis, sizeOf(left, axis) + sizeOf(right, axis)), left,
        right, axis);
  }

  /// x[i, n, a] times the weights of some channels, summed over the channels
  /// (`overChannels`: the result has the rank) or over the rank.
  Value multiply(Value x, const HeadChannels &channels, bool overChannels) {
    SmallVector<StringRef, 3> own(3);
    own[channels.headAxis] = "i";
    own[channels.rankAxis] = "r";
    own[channels.channelAxis] = "k";
    return contract(x, weightOf(channels, overChannels ? ".keys" : ".values"),
                    {"i", "n", overChannels ? "k" : "r"}, own,
                    {"i", "n", overChannels ? "r" : "k"});
  }

  Value contract(Value lhs, Value rhs, ArrayRef<StringRef> left,
                 ArrayRef<StringRef> right, ArrayRef<StringRef> result) {
    return xf::ContractOp::create(
        builder, loc, lhs, rhs, builder.getStrArrayAttr(left),
        builder.getStrArrayAttr(right), builder.getStrArrayAttr(result));
  }

private:
  static Type withSize(Value value, unsigned axis, int64_t size) {
    SmallVector<Attribute> shape(xf::getShape(value.getType()));
    shape[axis] = xf::getAxis(value.getContext(), size);
    return xf::RealType::get(value.getContext(), shape);
  }

  /// The weight of some channels: a view of the stored tensor if they are a
  /// part of it, so that the passes that follow have a weight before them.
  Value weightOf(const HeadChannels &channels, StringRef suffix) {
    const unsigned axis = channels.channelAxis;
    auto weight = channels.weight.getDefiningOp<xf::WeightOp>();
    xf::StoredOp stored = xf::storedOf(channels.weight);
    if (channels.count == sizeOf(channels.weight, axis) || !stored ||
        !stored.getSource() || stored.getLayout().getFactorCounts()[axis] != 1)
      return slice(channels.weight, axis, channels.first, channels.count);
    Type type = withSize(channels.weight, axis, channels.count);
    std::string name = nameOfView(stored, suffix, type, channels);
    return xf::WeightOp::create(builder, loc, type, name, weight.getIndices());
  }

  /// The layout of some channels of a weight.
  static xf::LayoutAttr layoutOf(xf::LayoutAttr layout,
                                 const HeadChannels &channels) {
    size_t factor = 0;
    for (int64_t count :
         layout.getFactorCounts().take_front(channels.channelAxis))
      factor += count;
    SmallVector<int64_t> sizes(layout.getSizes());
    sizes[factor] = channels.count;
    return xf::LayoutAttr::get(
        layout.getContext(),
        layout.getOffset() + channels.first * layout.getStrides()[factor],
        layout.getFactorCounts(), sizes, layout.getStrides());
  }

  /// The name of a stored weight that is this view; made unless it exists.
  std::string nameOfView(xf::StoredOp stored, StringRef suffix, Type type,
                         const HeadChannels &channels) {
    auto module = stored->getParentOfType<ModuleOp>();
    xf::LayoutAttr layout = layoutOf(stored.getLayout(), channels);
    std::string base = (stored.getSymName() + suffix).str(), name = base;
    for (unsigned number = 2; Operation *taken = module.lookupSymbol(name);
         name = base + std::to_string(number++)) {
      auto existing = dyn_cast<xf::StoredOp>(taken);
      if (existing && existing.getLayout() == layout &&
          existing.getSource() == stored.getSource() &&
          existing.getTimes() == stored.getTimes())
        return name;
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(stored);
    auto view = cast<xf::StoredOp>(builder.clone(*stored));
    view.setSymName(name);
    view.setType(cast<xf::RealType>(type));
    view.setLayoutAttr(layout);
    return name;
  }

  OpBuilder builder;
  Location loc;
};

} // namespace

void AbsorbedAttention::apply() {
  HeadsBuilder before(scores);
  Value rows, multiplied;
  int64_t first = 0;
  for (const HeadChannels &channels : keys) {
    Value own = before.slice(queries, 2, first, channels.count);
    first += channels.count;
    multiplied = before.append(
        multiplied,
        channels.weight ? before.multiply(own, channels, /*overChannels=*/true)
                        : own,
        2);
    rows = before.append(
        rows,
        channels.weight
            ? channels.rows
            : before.slice(channels.rows, 1, channels.first, channels.count),
        1);
  }
  Value absorbed = before.contract(multiplied, rows, {"i", "n", "k"},
                                   {"m", "k"}, {"i", "n", "m"});
  HeadsBuilder after(mixture);
  Value mixed = values.rows;
  if (auto at = valuesInKeys(*this); at && rows != values.rows)
    mixed = after.cut(rows, 1, *at, values.kept());
  mixed = after.contract(softmax.getResult(), mixed, {"i", "n", "m"},
                         {"m", "r"}, {"i", "n", "r"});
  mixture.getResult().replaceAllUsesWith(
      after.multiply(mixed, values, /*overChannels=*/false));
  scores.getResult().replaceAllUsesWith(absorbed);
  mixture.erase();
  scores.erase();
}
