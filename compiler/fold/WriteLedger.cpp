// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a solution to the lines of the ledger: for each constant, the places
// that absorbed a power of it; layers with the same power share a line.

#include "compiler/fold/Ledger.h"
#include "compiler/fold/move/MovedLines.h"
#include "dialect/Places.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

/// Layers as ranges, "0, 2..5"; empty if all layers are included.
static std::string layersText(ArrayRef<unsigned> layers, size_t count) {
  if (layers.size() == count)
    return "";
  std::string text;
  for (size_t k = 0; k < layers.size();) {
    size_t last = k;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(layers[k]);
    if (last > k)
      text += ".." + std::to_string(layers[last]);
    k = last + 1;
  }
  return text;
}

/// The name of a place: the description of a multiplication, or the name of the
/// weight or of the scalar of a kernel.
static std::string placeName(const Place &place) {
  if (place.price == Price::Multiplication)
    return (Twine("multiplication of the ") + place.name + " of " +
            place.op->getName().stripDialect())
        .str();
  // A bias that others were moved into keeps its name.
  return StringRef(place.name).split(".derived").first.str();
}

/// What the factor costs at its place: nothing for a power of two, which only
/// changes exponents, otherwise one rounding of each stored value.
static StringRef rounding(const Place &place, const ExactScalar &factor) {
  if (place.price == Price::Multiplication)
    return "at run time";
  return factor.isPowerOfTwo() ? "exact" : "1/2 ulp";
}

/// "FILE:LINE" of a location; empty for one without a file.
static std::string describe(Location location) {
  if (auto file = xf::placeOf(location))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

/// The reason why a multiplication remains: the law that rules out its removal.
static std::string objection(const Problem &problem) {
  Operation *op = objectionTo(problem);
  if (!op)
    return "cheaper than changing the weights";
  return describeObjection(op);
}

namespace {

/// The powers of one constant that places absorbed.
struct AbsorbedPowers {
  /// The layers with each combination of place, exponent and factor.
  std::map<std::tuple<unsigned, std::string, std::string>,
           SmallVector<unsigned>>
      layers;
  /// Whether one of the places is a multiplication at run time.
  bool isLeft = false;
};

/// The fields of a line: place, exponent, factor, layers, rounding.
using Line =
    std::tuple<std::string, std::string, std::string, std::string, std::string>;

} // namespace

/// Returns the powers of constant `k` that the places absorbed.
static AbsorbedPowers absorbedPowers(const Problem &problem,
                                     const Solution &solution, unsigned k) {
  AbsorbedPowers powers;
  for (unsigned a = 0; a < problem.absorbers.size(); ++a) {
    auto [place, iteration] = problem.absorbers[a];
    for (const auto &[unknown, exponent] : solution.exponents[a].terms)
      if (unknown == k && !solution.factors[a].isOne()) {
        powers.layers[{place, exponent.str(), solution.factors[a].str()}]
            .push_back(iteration);
        powers.isLeft |= problem.places[place].price == Price::Multiplication;
      }
  }
  return powers;
}

/// Whether the multiplication by `constant` was kept with a factor other than
/// 1, which may be only a sign.
static bool isKeptScale(const Problem &problem, const Solution &solution,
                        const Constant &constant) {
  return llvm::any_of(problem.places, [&](const Place &place) {
    auto scale = dyn_cast<xf::ScaleOp>(place.op);
    return scale && xf::writtenAt(scale.getLoc()) == constant.place &&
           scale.getWritten() == constant.written &&
           llvm::any_of(place.unknowns, [&](unsigned unknown) {
             return unknown && !solution.factor(problem, unknown).isOne();
           });
  });
}

/// Returns the lines of a constant, each with the number of its occurrences:
/// entries that share equations have equal lines.
static std::vector<std::pair<Line, unsigned>>
mergedLines(const Problem &problem, AbsorbedPowers &powers) {
  std::vector<std::pair<Line, unsigned>> merged;
  for (auto &[key, layers] : powers.layers) {
    const auto &[index, exponent, factor] = key;
    const Place &place = problem.places[index];
    llvm::sort(layers);
    Line line = {placeName(place), exponent, factor,
                 layersText(layers, place.unknowns.size()),
                 rounding(place, *ExactScalar::parse(factor)).str()};
    auto same = llvm::find_if(
        merged, [&](const auto &known) { return known.first == line; });
    if (same == merged.end())
      merged.push_back({line, 1});
    else
      ++same->second;
  }
  return merged;
}

/// Returns lines as the attribute `places` of xf.folded.
static ArrayAttr placesOf(OpBuilder &builder,
                          ArrayRef<std::pair<Line, unsigned>> merged) {
  SmallVector<Attribute> places;
  for (const auto &[line, count] : merged) {
    const auto &[name, exponent, factor, layers, rounding] = line;
    SmallVector<NamedAttribute> fields = {
        builder.getNamedAttr("place", builder.getStringAttr(name)),
        builder.getNamedAttr("exponent", builder.getStringAttr(exponent)),
        builder.getNamedAttr("factor", builder.getStringAttr(factor)),
        builder.getNamedAttr("layers", builder.getStringAttr(layers)),
        builder.getNamedAttr("count", builder.getI64IntegerAttr(count)),
        builder.getNamedAttr("rounding", builder.getStringAttr(rounding))};
    places.push_back(builder.getDictionaryAttr(fields));
  }
  return builder.getArrayAttr(places);
}

/// Writes the constants that stay where they are, each once and with its
/// reason.
static void writeKeptConstants(ModuleOp module, OpBuilder &builder,
                               const llvm::StringSet<> &keep,
                               const llvm::StringSet<> &far) {
  llvm::StringSet<> told;
  for (auto entry : module.getOps<xf::EntryOp>())
    entry.walk([&](xf::ScaleOp scale) {
      bool isZero = scale.getFactor().getValue().isZero();
      if (!isZero && !keep.contains(scale.getWritten()))
        return;
      if (!told.insert(scale.getWritten().str() + describe(scale.getLoc()))
               .second)
        return;
      StringRef reason = isZero ? "no other factor compensates for a factor 0"
                         : far.contains(scale.getWritten())
                             ? "it would exceed the range of float32 elsewhere"
                             : "--no-fold";
      xf::FoldedOp::create(builder, xf::writtenAt(scale.getLoc()),
                           scale.getWritten(), scale.getFactor(),
                           builder.getArrayAttr({}), 0,
                           builder.getStringAttr(reason));
    });
}

void fold::writeLedger(ModuleOp module, const Problem &problem,
                       const Solution &solution, const llvm::StringSet<> &keep,
                       const llvm::StringSet<> &far) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::optional<std::string> why;
  for (unsigned k = 0; k < problem.constants.size(); ++k) {
    const Constant &constant = problem.constants[k];
    AbsorbedPowers powers = absorbedPowers(problem, solution, k);
    if (powers.layers.empty() && k == 0)
      continue;
    ArrayAttr places = placesOf(builder, mergedLines(problem, powers));
    StringAttr kept;
    if (powers.isLeft || isKeptScale(problem, solution, constant)) {
      if (!why)
        why = objection(problem);
      kept = builder.getStringAttr(*why);
    }
    xf::FoldedOp::create(
        builder, constant.place, constant.written,
        xf::ExactAttr::get(module.getContext(), constant.value), places,
        solution.readers[k], kept);
  }
  writeKeptConstants(module, builder, keep, far);
}
