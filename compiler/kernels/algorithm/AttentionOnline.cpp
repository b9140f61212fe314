// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a device goes through the keys once, a part p of 64 keys m
// after the other:
//
//   scores(m, n)    = Σ_c q(n, c) k(m, c)
//   maximum(n, p)   = max of the part's scores
//   weights(n, m)   = 2^(exponent (scores - maximum))
//   sum(n, p)       = Σ weights
//   mixture(c, n, p) = Σ weights v(m, c)
//
// What was made of the parts before is kept for the largest score so far, and
// what is smaller is scaled down when a part is added:
//
//   M' = max(M, maximum)      a = 2^(exponent (M - M'))
//                             b = 2^(exponent (maximum - M'))
//   S' = a S + b sum          X'(c) = a X(c) + b mixture(c)
//
//   result(c, n) = X(c) · factor / S
//
// (Milakov and Gimelshein 2018; Dao et al. 2022.) Only a part's scores and
// weights exist at a time. What the mask hides from all rows of a strip is not
// computed, as on a processor (KeyPieces.h). A thread has some channels of a
// row: X is a tuple with an entry for each of them, so that M and S are not
// there for every channel.

#include "compiler/kernels/algorithm/AttentionBuilder.h"
#include "compiler/kernels/algorithm/DeviceTiles.h"
#include "compiler/kernels/algorithm/HalideMath.h"

using namespace Halide;

namespace transfold::kernels {

/// What a score is taken for that a row does not see, and the maximum of none.
/// A part may have no score that a row sees: differences of maxima times
/// exponents up to 256 must then be numbers, and no infinities.
constexpr float leastScore = -0x1p+120f;

/// Partial maxima and sums of a row, and threads that share its channels.
constexpr int lanesOfRow = 4, mostGroups = 16;

// An operand as it is in memory; or as a function of its own, so that what is
// rotated is so once.
static Entry entryOf(AlgorithmContext &context, const Tensor &tensor,
                     const char *name, Func &made) {
  if (tensor.isStored)
    return tensor.at;
  made = Func(context.uniqueName(name));
  std::vector<Var> own = indexVariables(tensor.axes.size());
  made(innermostFirst(own)) = tensor.at(Indices(own.begin(), own.end()));
  return entriesOf(made);
}

// Rows and keys behind the end are the last one again.
static Entry upToLast(const Entry &entry, size_t axis, const Expr &count) {
  return [=](Indices i) {
    i[axis] = min(i[axis], count - 1);
    return entry(i);
  };
}

Tensor AttentionBuilder::scoresOnDevice(const Operand &queries,
                                        const Operand &keys,
                                        const Labels &labels) {
  ProductShape shape = shapeOfScores(queries, keys, labels);
  const std::string &row = labels[labels.size() - 2], &key = labels.back();
  if (!contains(queries.labels, row))
    throw std::runtime_error("the scores of attention need rows on the left");
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  Contraction scores;
  scores.over =
      RDom(0, static_cast<int>(shape.summed.size), context.uniqueName("over"));
  places.set(shape.over, scores.over.x);
  auto tile = [&](const Operand &operand, const std::string &own,
                  const Axis &axis, const char *name, Func &made) {
    Entry entry = upToLast(entryOf(context, operand.tensor, name, made),
                           indexOf(operand.labels, own), context.extent(axis));
    return deviceTileOf(context.uniqueName("tile"), operand.labels, own,
                        shape.over, places, entry);
  };
  DeviceTile rows = tile(queries, row, shape.axes[labels.size() - 2], "queries",
                         scores.queries);
  DeviceTile columns =
      tile(keys, key, shape.axes.back(), "keys", scores.panels);
  scores.tileOfRows = rows.function;
  scores.tileOfColumns = columns.function;
  scores.channels = shape.summed.size;
  scores.columns = shape.axes.back().size;
  std::vector<Var> pure = innermostFirst(variables);
  scores.sum = Func(context.uniqueName("sum"));
  scores.sum(pure) = 0.0f;
  scores.sum(pure) += rows.read() * columns.read();
  scores.value = Func(context.uniqueName("product"));
  scores.value(pure) = scores.sum(std::vector<Expr>(pure.begin(), pure.end()));
  context.algorithm.contractions.push_back(scores);
  return {shape.axes, entriesOf(scores.value), true};
}

// Channels that values have and weights have not, a number of them.
bool AttentionBuilder::canGoAlong(const Weights &weights, const Labels &own,
                                  const Operand &values,
                                  const Labels &labels) const {
  if (!weights.softmax || !limits.strip)
    return false;
  const std::string &channel = labels.back();
  return !contains(own, channel) && contains(values.labels, channel) &&
         contains(labels, own[own.size() - 2]);
}

// The loop over the parts that rows of strip `strip` may see, and which part a
// round is: they are counted from the first, whose number is no condition then.
std::pair<RDom, Expr> AttentionBuilder::seenParts(const Axis &rows,
                                                  const Var &strip) const {
  const int size = pieces.block();
  auto parts = [&](const Expr &keys) { return (keys + (size - 1)) / size; };
  RDom domain(0, parts(pieces.countOfKeys()), context.uniqueName("parts"));
  Expr first = strip * limits.strip;
  Expr last = min(first + limits.strip, context.extent(rows)) - 1;
  Expr part = domain.x, count = pieces.countOfKeys();
  if (limits.from)
    part += max(limits.from(first, last), 0) / size;
  if (limits.to)
    count = min(limits.to(first, last), count);
  if (limits.from || limits.to)
    domain.where(part < parts(count));
  return {domain, part};
}

// (…, n) and a part: the maximum of its scores, its weights and their sum.
void AttentionBuilder::weightsOfParts(OnlineAttention &online,
                                      const Weights &weights, const Var &part) {
  const Tensor &x = *weights.x;
  const Softmax &softmax = *weights.softmax;
  const int keys = pieces.block();
  std::vector<Var> indices = indexVariables(x.axes.size() - 1);
  std::vector<Var> families(indices.rbegin() + 1, indices.rend());
  families.push_back(part);
  Var n = indices.back(), lane("lane"), key("key");
  auto of = [&](std::vector<Var> first) {
    first.insert(first.end(), families.begin(), families.end());
    return first;
  };
  auto at = [&](const Expr &ofPart) {
    return with(Indices(indices.begin(), indices.end()), part * keys + ofPart);
  };
  online.blocks = RDom(0, keys / lanesOfRow, context.uniqueName("blocks"));
  online.across = RDom(0, lanesOfRow, context.uniqueName("across"));
  Expr own = online.blocks * lanesOfRow + lane;
  auto reduce = [&](const char *name, Func &lanes, Func &total,
                    const Join &join, const Expr &entry) {
    std::vector<Var> place = of({n, lane}), row = of({n});
    std::vector<Expr> one(place.begin(), place.end());
    lanes = Func(context.uniqueName(std::string(name) + "_lanes"));
    lanes(place) = join.start;
    lanes(place) = join.of(lanes(one), entry);
    total = Func(context.uniqueName(name));
    total(row) = join.start;
    one[1] = online.across.x;
    total(row) =
        join.of(total(std::vector<Expr>(row.begin(), row.end())), lanes(one));
  };
  auto scoreAt = [&](const Indices &i) {
    return softmax.isSeen ? select(softmax.isSeen(i), x.at(i), leastScore)
                          : x.at(i);
  };
  Join largest = Join::maximum();
  largest.start = leastScore;
  reduce("maximum", online.lanesOfMaximum, online.maximum, largest,
         scoreAt(at(own)));
  online.weights = Func(context.uniqueName("weights"));
  std::vector<Var> row = of({n}), place = of({n, key});
  online.weights(place) =
      softmax.weight(at(key), scoreAt(at(key)),
                     online.maximum(std::vector<Expr>(row.begin(), row.end())),
                     pieces.countOfKeys());
  std::vector<Expr> weight(place.begin(), place.end());
  weight[1] = own;
  reduce("sum", online.lanesOfSum, online.sum, Join::sum(),
         online.weights(weight));
}

// Channels of a thread: as few as leave no more than `mostGroups` threads.
static int channelsOfGroup(int channels) {
  int group = (channels + mostGroups - 1) / mostGroups;
  while (channels % group)
    ++group;
  return group;
}

// What parts so far have made, with one more: maximum, sum, mixture.
static Tuple joined(const FuncRef &soFar, const Expr &maximum, const Expr &sum,
                    const FuncRef &mixture, const Softmax &softmax) {
  Expr largest = soFar[0];
  Expr less = exp2OfNonPositive(
      (min(largest, maximum) - max(largest, maximum)) * softmax.exponent);
  Expr before = select(largest >= maximum, 1.0f, less);
  Expr now = select(largest >= maximum, less, 1.0f);
  std::vector<Expr> all{max(largest, maximum), soFar[1] * before + sum * now};
  for (int c = 2; c < static_cast<int>(soFar.size()); ++c)
    all.push_back(soFar[c] * before +
                  (mixture.size() > 1 ? Expr(mixture[c - 2]) : Expr(mixture)) *
                      now);
  return Tuple(all);
}

Tensor AttentionBuilder::mixtureOnline(const Weights &weights,
                                       const Labels &own, const Operand &values,
                                       const Labels &labels) {
  ProductShape shape(weights.axes, own, values.tensor.axes, values.labels,
                     labels);
  const std::string &row = own[own.size() - 2], &channel = labels.back();
  const int channels = static_cast<int>(shape.axes.back().size);
  OnlineAttention online;
  online.scores = weights.scores;
  online.keysOfPart = pieces.block();
  online.rowsOfStrip = limits.strip;
  online.channelsOfGroup = channelsOfGroup(channels);
  online.groups = channels / online.channelsOfGroup;
  Var part("part"), strip("strip"), group("group");
  weightsOfParts(online, weights, part);

  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  // (group, row, others…) and a part or strip.
  std::vector<Var> mine{group,
                        Var(places.at(row).as<Internal::Variable>()->name)};
  for (size_t axis = labels.size(); axis-- > 0;)
    if (labels[axis] != row && labels[axis] != channel)
      mine.push_back(variables[axis]);
  auto rowOf = [&](const Expr &first, const Expr &partOfKeys) {
    std::vector<Expr> place{places.at(row)};
    if (first.defined())
      place.push_back(first);
    for (size_t axis = own.size() - 2; axis-- > 0;)
      place.push_back(places.at(own[axis]));
    return with(place, partOfKeys);
  };
  online.keys = RDom(0, online.keysOfPart, context.uniqueName("keys"));
  Places ofValues = places;
  ofValues.set(own.back(), part * online.keysOfPart + online.keys.x);
  Entry value = upToLast(values.tensor.at, indexOf(values.labels, own.back()),
                         pieces.countOfKeys());
  std::vector<Expr> zeros, terms;
  for (int c = 0; c < online.channelsOfGroup; ++c) {
    ofValues.set(channel, group * online.channelsOfGroup + c);
    DeviceTile tile = deviceTileOf(context.uniqueName("tile"), values.labels,
                                   channel, own.back(), ofValues, value);
    if (!c)
      online.tileOfValues = tile.function;
    zeros.emplace_back(0.0f);
    terms.push_back(online.weights(rowOf(online.keys.x, part)) *
                    online.tileOfValues(tile.place));
  }
  online.mixture = Func(context.uniqueName("mixture"));
  std::vector<Var> ofPart = with(mine, part), ofStrip = with(mine, strip);
  std::vector<Expr> place(ofPart.begin(), ofPart.end());
  online.mixture(ofPart) = Tuple(zeros);
  for (size_t c = 0; c < terms.size(); ++c)
    terms[c] += terms.size() > 1 ? Expr(online.mixture(place)[c])
                                 : Expr(online.mixture(place));
  online.mixture(ofPart) = Tuple(terms);

  auto [parts, seen] = seenParts(weights.axes[weights.axes.size() - 2], strip);
  online.parts = parts;
  online.made = Func(context.uniqueName("made"));
  std::vector<Expr> start = zeros, soFar(ofStrip.begin(), ofStrip.end());
  start.insert(start.begin(), {leastScore, 0.0f});
  online.made(ofStrip) = Tuple(start);
  place.back() = seen;
  std::vector<Expr> rowOfPart = rowOf(Expr(), seen);
  online.made(ofStrip) =
      joined(online.made(soFar), online.maximum(rowOfPart),
             online.sum(rowOfPart), online.mixture(place), *weights.softmax);

  Contraction mixture;
  mixture.columns = channels;
  mixture.value = Func(context.uniqueName("product"));
  soFar[0] = places.at(channel) / online.channelsOfGroup;
  soFar.back() = places.at(row) / online.rowsOfStrip;
  FuncRef all = online.made(soFar);
  std::vector<Expr> entries;
  for (int c = 0; c < online.channelsOfGroup; ++c)
    entries.emplace_back(all[c + 2]);
  Expr entry = entries.size() == 1
                   ? entries[0]
                   : mux(places.at(channel) % online.channelsOfGroup, entries);
  mixture.value(innermostFirst(variables)) =
      entry *
      weights.softmax->inverse(places.of(Labels(own.begin(), own.end() - 1)),
                               all[1], all[0]);
  context.algorithm.contractions.push_back(mixture);
  context.algorithm.online = online;
  return {std::move(shape.axes), entriesOf(mixture.value)};
}

} // namespace transfold::kernels
