// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mixture of an attention on a device whose softmax is computed along with
// its sums; the equations are in AttentionOnline.cpp. A thread has several
// channels of a row: X is a tuple with an entry for each of them, so that M and
// S are not kept for each channel.
//
// Parts are joined in order, either while a strip of rows iterates over them,
// in registers:
//
//   made(group, n, …, strip) = join of maximum, sum, mixture(group, n, …, p)
//
// or, if there are few rows, from memory, where each part has stored its
// results:
//
//   inMemory(slot, n, …, p)  = maximum, sum, mixture(group, n, …, p)
//   made(group, n, …)        = join of inMemory(slot, n, …, p)
//
// The values and their order are the same, and so are the bits.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/numeric/HalideMath.h"
#include "compiler/kernels/algorithm/product/DeviceTiles.h"

#include <span>

using namespace Halide;

namespace transfold::kernels {

// Whether the mixture can be computed along with its softmax: its last label is
// a channel, which values have and weights have not, and its result has rows.
bool AttentionBuilder::canGoAlong(const Weights &weights, const Labels &own,
                                  const Operand &values,
                                  const Labels &labels) const {
  if (!weights.softmax || (!limits.strip && !limits.shared))
    return false;
  const std::string &channel = labels.back();
  return !contains(own, channel) && contains(values.labels, channel) &&
         contains(labels, own[own.size() - 2]);
}

// Number of channels of a thread: as few as give at most `mostGroups` threads.
// If the number of channels has no divisor near that, such as a prime, the last
// group has fewer: a thread with all channels would keep each in an array of
// its own, and C compilers for devices accept at most 256 nested brackets.
static int channelsOfGroup(int channels, int mostGroups) {
  const int fewest = (channels + mostGroups - 1) / mostGroups;
  int group = fewest;
  while (channels % group)
    ++group;
  return group <= 2 * fewest ? group : fewest;
}

// Joins the results of the parts so far with those of one more part: maximum,
// sum, mixture.
static Tuple joined(const FuncRef &soFar, const std::vector<Expr> &part,
                    const Softmax &softmax) {
  const Expr &maximum = part[0];
  Expr largest = soFar[0];
  Expr less = exp2OfNonPositive(
      (min(largest, maximum) - max(largest, maximum)) * softmax.exponent);
  Expr before = select(largest >= maximum, 1.0f, less);
  Expr now = select(largest >= maximum, less, 1.0f);
  std::vector<Expr> all{max(largest, maximum)};
  for (size_t k = 1; k < part.size(); ++k)
    all.push_back(soFar[k] * before + part[k] * now);
  return Tuple(all);
}

// The elements of a tuple; a single value is its only element.
static std::vector<Expr> entriesOfTuple(const FuncRef &all) {
  if (all.size() == 1)
    return {Expr(all)};
  std::vector<Expr> entries;
  for (size_t k = 0; k < all.size(); ++k)
    entries.emplace_back(all[static_cast<int>(k)]);
  return entries;
}

/// The value with index `index`. A mux is a chain of conditions, each nested in
/// the brackets of the previous one, and C compilers for devices accept at most
/// 256 levels: many values are split into halves first.
static Expr oneOf(const Expr &index, std::span<const Expr> values) {
  constexpr size_t mostOfChain = 96; // two brackets each, and some around them
  if (values.size() <= mostOfChain)
    return values.size() == 1
               ? values[0]
               : mux(index, std::vector<Expr>(values.begin(), values.end()));
  const size_t half = values.size() / 2;
  const auto first = static_cast<int>(half);
  return Halide::select(index < first, oneOf(index, values.first(half)),
                        oneOf(index - first, values.subspan(half)));
}

/// The functions of one mixture, and the positions of its labels.
struct AttentionBuilder::OnlineMixture {
  AttentionBuilder &builder;
  const Weights &weights;
  const Labels &own, &labels;
  ProductShape shape;
  OnlineAttention online = {};
  std::vector<Var> variables = indexVariables(labels.size());
  Places places{labels, variables};
  Var part{"part"}, group{"group"};

  const std::string &row() const { return own[own.size() - 2]; }
  const std::string &channel() const { return labels.back(); }
  bool isInMemory() const { return builder.limits.shared != 0; }

  /// Channel `k` of a group; groupOf and ownOf are the group and the number of
  /// a channel. In the variant through memory, where many threads load values,
  /// neighboring groups have adjacent channels.
  Expr channelOf(const Expr &group, int k) const {
    return isInMemory() ? group + k * online.groups
                        : group * online.channelsOfGroup + k;
  }
  Expr groupOf(const Expr &channel) const {
    return isInMemory() ? channel % online.groups
                        : channel / online.channelsOfGroup;
  }
  Expr ownOf(const Expr &channel) const {
    return isInMemory() ? channel / online.groups
                        : channel % online.channelsOfGroup;
  }

  /// The arguments (first, row, others…) of functions of the result.
  std::vector<Var> startingWith(const Var &first) const;
  std::vector<Expr> at(const Expr &first) const;
  /// The arguments (row, first, families…, part) of functions of the weights;
  /// without `first` if that is undefined.
  std::vector<Expr> rowOf(const Expr &first, const Expr &partOfKeys) const;
  /// Maximum, sum and mixture of a part.
  std::vector<Expr> ofPart(const Expr &group, const Expr &partOfKeys) const;

  void mixParts(const Operand &values);
  void joinInStrips(const Axis &rows);
  void joinFromMemory(const Axis &rows);
  Contraction finish() const;

private:
  void startMade(const std::vector<Var> &arguments);
};

std::vector<Var>
AttentionBuilder::OnlineMixture::startingWith(const Var &first) const {
  std::vector<Var> all{first};
  const auto *rowVariable = places.at(row()).as<Internal::Variable>();
  all.emplace_back(rowVariable->name);
  for (size_t axis = labels.size(); axis-- > 0;)
    if (labels[axis] != row() && labels[axis] != channel())
      all.push_back(variables[axis]);
  return all;
}

std::vector<Expr> AttentionBuilder::OnlineMixture::at(const Expr &first) const {
  std::vector<Var> all = startingWith(group);
  std::vector<Expr> place(all.begin(), all.end());
  place[0] = first;
  return place;
}

std::vector<Expr>
AttentionBuilder::OnlineMixture::rowOf(const Expr &first,
                                       const Expr &partOfKeys) const {
  std::vector<Expr> place{places.at(row())};
  if (first.defined())
    place.push_back(first);
  for (size_t axis = own.size() - 2; axis-- > 0;)
    place.push_back(places.at(own[axis]));
  return with(place, partOfKeys);
}

std::vector<Expr>
AttentionBuilder::OnlineMixture::ofPart(const Expr &ofGroup,
                                        const Expr &partOfKeys) const {
  std::vector<Expr> all{online.maximum(rowOf(Expr(), partOfKeys)),
                        online.sum(rowOf(Expr(), partOfKeys))};
  for (const Expr &entry :
       entriesOfTuple(online.mixture(with(at(ofGroup), partOfKeys))))
    all.push_back(entry);
  return all;
}

void AttentionBuilder::OnlineMixture::mixParts(const Operand &values) {
  AlgorithmContext &context = builder.context;
  online.keys = RDom(0, online.keysOfPart, context.uniqueName("keys"));
  Places ofValues = places;
  ofValues.set(own.back(), part * online.keysOfPart + online.keys.x);
  Operand all = values;
  all.tensor.at = upToLast(values.tensor.at, indexOf(values.labels, own.back()),
                           builder.pieces.countOfKeys());
  if (online.hasPadding(shape.axes.back().size))
    all.tensor.at = upToLast(all.tensor.at, indexOf(values.labels, channel()),
                             static_cast<int>(shape.axes.back().size));
  Entry value = builder.ofSharedHeads(all, ofValues, own.front());
  std::vector<Expr> zeros, terms;
  for (int c = 0; c < online.channelsOfGroup; ++c) {
    ofValues.set(channel(), channelOf(group, c));
    DeviceTile tile = deviceTileOf(context.uniqueName("tile"), values.labels,
                                   channel(), own.back(), ofValues, value);
    if (!c)
      online.tileOfValues = tile.function;
    zeros.emplace_back(0.0f);
    terms.push_back(online.weights(rowOf(online.keys.x, part)) *
                    online.tileOfValues(tile.place));
  }
  online.mixture = Func(context.uniqueName("mixture"));
  std::vector<Var> pure = with(startingWith(group), part);
  online.mixture(pure) = Tuple(zeros);
  std::vector<Expr> soFar = entriesOfTuple(
      online.mixture(std::vector<Expr>(pure.begin(), pure.end())));
  for (size_t c = 0; c < terms.size(); ++c)
    terms[c] += soFar[c];
  online.mixture(pure) = Tuple(terms);
}

void AttentionBuilder::OnlineMixture::startMade(
    const std::vector<Var> &arguments) {
  std::vector<Expr> start(online.channelsOfGroup, 0.0f);
  start.insert(start.begin(), {leastScore, 0.0f});
  online.made = Func(builder.context.uniqueName("made"));
  online.made(arguments) = Tuple(start);
}

void AttentionBuilder::OnlineMixture::joinInStrips(const Axis &rows) {
  Var strip("strip");
  std::vector<Var> arguments = with(startingWith(group), strip);
  startMade(arguments);
  auto [parts, seen] = builder.seenParts(rows, strip);
  online.parts = parts;
  online.made(arguments) =
      joined(online.made(std::vector<Expr>(arguments.begin(), arguments.end())),
             ofPart(group, seen), *weights.softmax);
}

void AttentionBuilder::OnlineMixture::joinFromMemory(const Axis &rows) {
  Var slot("slot");
  online.inMemory = Func(builder.context.uniqueName("memory"));
  online.inMemory(with(startingWith(slot), part)) =
      oneOf(slot / online.groups, ofPart(slot % online.groups, part));
  std::vector<Var> arguments = startingWith(group);
  startMade(arguments);
  online.parts = builder.partsOfFewRows(rows);
  std::vector<Expr> ofPart;
  for (int k = 0; k < online.channelsOfGroup + 2; ++k)
    ofPart.push_back(online.inMemory(
        with(at(group + k * online.groups), Expr(online.parts.x))));
  online.made(arguments) =
      joined(online.made(std::vector<Expr>(arguments.begin(), arguments.end())),
             ofPart, *weights.softmax);
}

Contraction AttentionBuilder::OnlineMixture::finish() const {
  Contraction mixture;
  mixture.columns = shape.axes.back().size;
  mixture.value = Func(builder.context.uniqueName("product"));
  std::vector<Expr> place = at(groupOf(places.at(channel())));
  if (!isInMemory())
    place.push_back(places.at(row()) / online.rowsOfStrip);
  std::vector<Expr> all = entriesOfTuple(online.made(place));
  const std::vector<Expr> mixtures(all.begin() + 2, all.end());
  Expr entry = oneOf(ownOf(places.at(channel())), mixtures);
  mixture.value(innermostFirst(variables)) =
      entry *
      weights.softmax->inverse(places.of(Labels(own.begin(), own.end() - 1)),
                               all[1], all[0]);
  return mixture;
}

Tensor AttentionBuilder::mixtureOnline(const Weights &weights,
                                       const Labels &own, const Operand &values,
                                       const Labels &labels) {
  OnlineMixture mixture{*this, weights, own, labels,
                        ProductShape(weights.axes, own, values.tensor.axes,
                                     values.labels, labels)};
  OnlineAttention &online = mixture.online;
  const int channels = static_cast<int>(mixture.shape.axes.back().size);
  online.scores = weights.scores;
  online.keysOfPart = pieces.block();
  online.rowsOfStrip = limits.strip;
  // Threads that share the channels of a row: some of a block, or all.
  online.channelsOfGroup =
      channelsOfGroup(channels, limits.shared ? pieces.block() : 16);
  online.groups =
      (channels + online.channelsOfGroup - 1) / online.channelsOfGroup;
  weightsOfParts(online, weights, mixture.part);
  mixture.mixParts(values);
  const Axis &rows = weights.axes[weights.axes.size() - 2];
  if (limits.shared)
    mixture.joinFromMemory(rows);
  else
    mixture.joinInStrips(rows);
  Contraction contraction = mixture.finish();
  context.algorithm.contractions.push_back(contraction);
  context.algorithm.online = online;
  return {std::move(mixture.shape.axes), entriesOf(contraction.value)};
}

} // namespace transfold::kernels
