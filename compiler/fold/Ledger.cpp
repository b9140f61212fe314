// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the ledger of a module: as JSON, as a table, and as prose.

#include "compiler/fold/Ledger.h"
#include "compiler/fold/move/MovedLines.h"
#include "dialect/Places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Support/Unicode.h>

#include <filesystem>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;
using nlohmann::ordered_json;

namespace {
/// One destination of a ledger line, with the fields of the IR.
struct Destination {
  explicit Destination(DictionaryAttr fields)
      : place(text(fields, "place")), exponent(text(fields, "exponent")),
        factor(text(fields, "factor")), layers(text(fields, "layers")),
        rounding(text(fields, "rounding")),
        count(fields.getAs<IntegerAttr>("count").getInt()) {}

  static std::string text(DictionaryAttr fields, StringRef name) {
    return fields.getAs<StringAttr>(name).getValue().str();
  }

  std::string place, exponent, factor, layers, rounding;
  int64_t count;
};
} // namespace

/// The places of a line, in the order in which they were written.
static std::vector<Destination> destinations(xf::FoldedOp line) {
  std::vector<Destination> all;
  for (auto fields : line.getPlaces().getAsRange<DictionaryAttr>())
    all.emplace_back(fields);
  return all;
}

/// The source location: "vaswani.xf:16"
static std::string placeInSpec(Operation *line) {
  auto at = xf::placeOf(line->getLoc());
  if (!at)
    return "";
  auto file = std::filesystem::path(at.getFilename().str()).filename();
  return fmt::format("{}:{}", file.string(), at.getLine());
}

/// The entries that a line applies to, if a weight moves differently in several
/// entries.
static std::vector<std::string> entriesOf(xf::MovedOp line) {
  std::vector<std::string> entries;
  if (auto names = line.getEntries())
    for (StringRef name : names->getAsValueRange<StringAttr>())
      entries.push_back(name.str());
  return entries;
}

/// A line about a constant.
static ordered_json jsonOf(xf::FoldedOp line) {
  ordered_json places = ordered_json::array();
  for (const Destination &to : destinations(line))
    places.push_back({{"place", to.place},
                      {"exponent", to.exponent},
                      {"factor", to.factor},
                      {"layers", to.layers},
                      {"count", to.count},
                      {"rounding", to.rounding}});
  return {{"kind", "constant"},
          {"written", line.getWritten().str()},
          {"value", line.getValue().getText().str()},
          {"number", line.getValue().toDouble()},
          {"spec", placeInSpec(line)},
          {"entries", ordered_json::array()},
          {"places", places},
          {"readers", line.getReaders()},
          {"kept", nullptr}};
}

/// A line about a weight.
static ordered_json jsonOf(xf::MovedOp line) {
  ordered_json places = ordered_json::array();
  for (StringRef to : line.getDestinations().getAsValueRange<StringAttr>())
    places.push_back(
        {{"place", to.str()},
         {"exponent", "1"},
         {"factor", ""},
         {"layers", ""},
         {"count", 1},
         {"rounding", line.getKind() == "order" ? "at run time" : "1/2 ulp"}});
  return {{"kind", line.getKind().str()},
          {"written", line.getWritten().str()},
          {"value", nullptr},
          {"number", nullptr},
          {"spec", placeInSpec(line)},
          {"entries", entriesOf(line)},
          {"places", places},
          {"readers", line.getReaders()},
          {"kept", nullptr}};
}

ordered_json fold::ledgerJson(Operation *line) {
  auto folded = dyn_cast<xf::FoldedOp>(line);
  ordered_json json = folded ? jsonOf(folded) : jsonOf(cast<xf::MovedOp>(line));
  auto kept = folded ? folded.getKept() : cast<xf::MovedOp>(line).getKept();
  if (kept)
    json["kept"] = kept->str();
  return json;
}

ordered_json fold::ledgerJson(ModuleOp module) {
  ordered_json ledger = ordered_json::array();
  for (auto line : module.getOps<xf::FoldedOp>())
    ledger.push_back(ledgerJson(line));
  for (auto line : module.getOps<xf::MovedOp>())
    ledger.push_back(ledgerJson(line));
  return ledger;
}

/// The display width of `text` in columns.
static size_t widthOf(StringRef text) {
  return std::max(llvm::sys::unicode::columnWidthUTF8(text), 0);
}

/// A line of the table with `right` at the right margin, at least two columns
/// after `left`.
static std::string aligned(const std::string &left, const std::string &right,
                           unsigned width) {
  if (right.empty())
    return left + "\n";
  size_t used = widthOf(left) + widthOf(right);
  return left + std::string(used + 1 < width ? width - used : 2, ' ') + right +
         "\n";
}

/// The name of a place, how many equal places there are, and its layers.
static std::string where(const Destination &to) {
  std::string text = to.place;
  if (to.count > 1)
    text += fmt::format(" × {}", to.count);
  if (!to.layers.empty())
    text += ", layer " + to.layers;
  return text;
}

/// The lines of the table for products in another order: the order, and what
/// it is worth.
static std::string orderLines(xf::MovedOp line) {
  if (line.getKept())
    return fmt::format("        stays: {}\n", line.getKept()->str());
  std::string lines;
  for (StringRef text : line.getDestinations().getAsValueRange<StringAttr>())
    lines += fmt::format("    {}\n", text.str());
  return lines;
}

std::string fold::ledgerTable(ModuleOp module, unsigned width) {
  std::string table;
  for (auto line : module.getOps<xf::FoldedOp>()) {
    std::string written = line.getWritten().str(),
                value = line.getValue().getText().str();
    table += aligned(written == value ? written : written + " = " + value,
                     placeInSpec(line), width);
    for (const Destination &to : destinations(line))
      table +=
          aligned(fmt::format("  {:>4}  {}", "^" + to.exponent, where(to)),
                  to.factor + (to.rounding == "exact"     ? ", exact"
                               : to.rounding == "1/2 ulp" ? ", ≤ 1/2 ulp"
                                                          : ", at run time"),
                  width);
    if (line.getKept())
      table += fmt::format("        stays: {}\n", line.getKept()->str());
    else if (line.getPlaces().empty())
      table += "        eliminated (cancels with its inverse)\n";
  }
  for (auto line : module.getOps<xf::MovedOp>()) {
    std::vector<std::string> entries = entriesOf(line);
    table += aligned(
        line.getWritten().str() +
            (entries.empty() ? ""
                             : fmt::format(" in {}", fmt::join(entries, ", "))),
        placeInSpec(line), width);
    if (line.getKind() == "order") {
      table += orderLines(line);
      continue;
    }
    StringRef sign = line.getKind() == "gain"       ? "×"
                     : line.getKind() == "channels" ? "g"
                                                    : "+";
    for (StringRef to : line.getDestinations().getAsValueRange<StringAttr>())
      table +=
          to == line.getWritten()
              ? fmt::format("    {}   itself, at a later addition\n",
                            sign.str())
              : aligned(std::string(4, ' ') + sign.str() + "   " + to.str(),
                        sign == "g" ? "before it is quantized" : "≤ 1/2 ulp",
                        width);
    if (line.getKept())
      table += fmt::format("        stays: {}\n", line.getKept()->str());
    else if (line.getDestinations().empty())
      table += "        eliminated (no effect on results)\n";
  }
  if (table.empty())
    table = "No constants were folded.\n";
  return table;
}

/// What became of a constant.
static std::string lineOf(xf::FoldedOp folded) {
  std::string text = fmt::format("'{}' = {}", folded.getWritten().str(),
                                 folded.getValue().getText().str());
  if (folded.getKept())
    text += " stays: " + folded.getKept()->str();
  else if (folded.getPlaces().empty())
    text += " is eliminated";
  for (const Destination &to : destinations(folded)) {
    text += fmt::format("; {} ^{}", to.place, to.exponent);
    if (!to.layers.empty())
      text += " of layer " + to.layers;
    text += fmt::format(" ({})", to.rounding);
  }
  return text;
}

/// What became of a bias or a gain.
static std::string lineOf(xf::MovedOp moved) {
  std::string text =
      fmt::format("{} '{}'", moved.getKind().str(), moved.getWritten().str());
  if (moved.getKept())
    return text + " stays: " + moved.getKept()->str();
  if (moved.getKind() == "order") {
    for (StringRef part : moved.getDestinations().getAsValueRange<StringAttr>())
      text += "; " + part.str();
    return text;
  }
  std::string to;
  for (auto name : moved.getDestinations().getAsRange<StringAttr>())
    to += (to.empty() ? " into " : ", ") + name.getValue().str();
  return text + (to.empty() ? " is eliminated" : to);
}

std::string fold::ledgerLine(Operation *line) {
  if (auto folded = dyn_cast<xf::FoldedOp>(line))
    return lineOf(folded);
  return lineOf(cast<xf::MovedOp>(line));
}

/// Describes a weight whose channels have factors.
static std::string channelsStoryOf(xf::MovedOp line) {
  std::string story =
      fmt::format("The channels that {} computes are divided by factors g.\n",
                  line.getWritten().str());
  if (line.getKept())
    return story + fmt::format("  They have no factors because {}.\n",
                               line.getKept()->str());
  for (StringRef to : line.getDestinations().getAsValueRange<StringAttr>())
    story += fmt::format(
        "  {} is multiplied by these factors, and then quantized.\n", to.str());
  return story + "  Calibration chooses the factors for which products lose "
                 "least accuracy.\n";
}

/// Describes products that are computed in another order.
static std::string orderStoryOf(xf::MovedOp line) {
  std::string at = placeInSpec(line);
  if (!at.empty())
    at = ", at " + at;
  if (line.getKept())
    return fmt::format("Products with {}{} keep their order because {}.\n",
                       line.getWritten().str(), at, line.getKept()->str());
  std::string story =
      fmt::format("Products with {}{} are computed in a cheaper order:\n",
                  line.getWritten().str(), at);
  for (StringRef text : line.getDestinations().getAsValueRange<StringAttr>())
    story += fmt::format("  {}.\n", text.str());
  return story + "  One order holds for all numbers of rows: a row has the "
                 "same bits in a prompt and in a step.\n";
}

/// Describes a bias or a gain.
static std::string storyOf(xf::MovedOp line) {
  if (line.getKind() == "order")
    return orderStoryOf(line);
  if (line.getKind() == "channels")
    return channelsStoryOf(line);
  bool isGain = line.getKind() == "gain";
  std::string at = placeInSpec(line),
              story = fmt::format("{} is a {}, {}{}.\n",
                                  line.getWritten().str(), line.getKind().str(),
                                  isGain ? "multiplied" : "added",
                                  at.empty() ? "" : " at " + at);
  if (auto entries = entriesOf(line); !entries.empty())
    story += fmt::format("  In {}:\n", fmt::join(entries, ", "));
  for (StringRef to : line.getDestinations().getAsValueRange<StringAttr>())
    story += to == line.getWritten()
                 ? "  It is added unchanged, at a later addition.\n"
                 : fmt::format("  {} absorbs it: computed once, in double, and "
                               "rounded once, by at most half an ulp.\n",
                               to.str());
  if (line.getKept())
    return story +
           fmt::format("  It stays because {}.\n", line.getKept()->str());
  if (line.getDestinations().empty())
    story += "  It has no effect on results and is eliminated.\n";
  return story +
         fmt::format("  {} operations compute with values that lack it, and "
                     "the law of each accounts for the difference.\n",
                     line.getReaders());
}

std::string fold::explain(ModuleOp module, StringRef written) {
  std::string wanted = plainConstant(written);
  std::string story;
  for (auto line : module.getOps<xf::FoldedOp>()) {
    if (plainConstant(line.getWritten()) != wanted &&
        plainConstant(line.getValue().getText()) != wanted)
      continue;
    story += fmt::format("{} is {}", line.getWritten().str(),
                         line.getValue().getText().str());
    if (double number = line.getValue().toDouble();
        fmt::format("{}", number) != line.getValue().getText())
      story += fmt::format(", about {:.6g}", number);
    std::string at = placeInSpec(line);
    story += at.empty() ? ".\n" : fmt::format(", written at {}.\n", at);
    bool isLeft = false;
    for (const Destination &to : destinations(line)) {
      if (to.rounding == "at run time") {
        isLeft = true;
        story +=
            fmt::format("  The program multiplies by {} at run time: {}.\n",
                        to.factor, where(to));
        continue;
      }
      story += fmt::format("  {} absorbs it to the power {}, and is multiplied "
                           "by {} in total; {}.\n",
                           where(to), to.exponent, to.factor,
                           to.rounding == "exact"
                               ? "a power of two, which is exact"
                               : "rounded once, by at most half an ulp");
    }
    if (line.getKept())
      story += fmt::format("  It stays because {}.\n", line.getKept()->str());
    else if (line.getPlaces().empty())
      story += "  Nothing absorbs it: it cancels with its inverse.\n";
    else if (!isLeft)
      story +=
          fmt::format("  No multiplication is left. {} operations compute with "
                      "values that contain it, and the law of each holds.\n",
                      line.getReaders());
  }
  for (auto line : module.getOps<xf::MovedOp>())
    if (isNamed(line.getWritten(), written) || line.getKind() == written)
      story += storyOf(line);
  return story;
}
