// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up arguments and writes them as arrays, so that programs and the
// interpreter read the same values.

#include "compiler/driver/evaluate/MakeInputs.h"

#include "base/files/arrays/Npy.h"
#include "compiler/host/metadata/Metadata.h"
#include "runtime/program/metadata/Metadata.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <map>
#include <random>
#include <set>

using namespace transfold;

namespace {

/// Makes inputs for entries in order. Arguments of the same name are made only
/// once.
class InputMaker {
public:
  InputMaker(const std::vector<runtime::Entry> &entries,
             const std::string &folder, const driver::MadeOf &of)
      : entries(entries), folder(folder), of(of) {
    for (const runtime::Entry &entry : entries)
      makeFor(entry);
  }

  std::vector<std::string> made() const {
    std::vector<std::string> list;
    for (const auto &[name, file] : files)
      list.push_back(fmt::format("{}={}", name, file));
    return list;
  }

private:
  void makeFor(const runtime::Entry &entry) {
    const std::vector<int64_t> lengths = lengthsOf(entry);
    for (const runtime::Argument &argument : entry.arguments)
      if (!files.contains(argument.external) &&
          !results.contains({argument.external, argument.shape.size()}) &&
          !argument.defaultValue)
        files[argument.external] = write(argument, lengths);
    for (const runtime::Result &result : entry.results)
      results.emplace(result.external, result.shape.size());
  }

  /// Lengths of `entry` that all entries permit which have lengths of the
  /// same names, since their arguments may be results of this one.
  std::vector<int64_t> lengthsOf(const runtime::Entry &entry) const {
    std::vector<int64_t> lengths;
    for (int64_t shortest = of.length;; shortest += of.length) {
      lengths = lengthsFrom(shortest, entry);
      if (shortest > longestTried || llvm::all_of(entries, [&](auto &other) {
            return takes(other, entry.lengths, lengths);
          }))
        return lengths;
    }
  }

  /// Distinct lengths from `shortest` on, so that mixing them up does not go
  /// unnoticed, and those that follow from them.
  static std::vector<int64_t> lengthsFrom(int64_t shortest,
                                          const runtime::Entry &entry) {
    std::vector<int64_t> lengths;
    for (size_t k = 0; k < entry.lengths.size(); ++k) {
      const int64_t next = shortest + static_cast<int64_t>(k);
      lengths.push_back(std::max(std::min(next, entry.limits[k].value_or(next)),
                                 entry.least[k]));
    }
    runtime::deriveLengths(entry, lengths);
    return lengths;
  }

  /// Whether no length of `entry` is too small if those of these names have
  /// these values.
  static bool takes(const runtime::Entry &entry,
                    const std::vector<std::string> &names,
                    const std::vector<int64_t> &values) {
    std::vector<int64_t> lengths(entry.lengths.size(), longestTried);
    for (size_t k = 0; k < lengths.size(); ++k)
      if (auto at = llvm::find(names, entry.lengths[k]); at != names.end())
        lengths[k] = values[at - names.begin()];
    runtime::deriveLengths(entry, lengths);
    return runtime::areLongEnough(entry, lengths);
  }

  /// Writes an array for one sequence; returns its path.
  std::string write(const runtime::Argument &argument,
                    const std::vector<int64_t> &lengths) {
    std::string file = fmt::format("{}/{}.npy", folder, argument.external);
    std::vector<int64_t> shape = {1};
    for (const runtime::Axis &axis : argument.shape)
      shape.push_back(axis.length < 0 ? axis.size : lengths[axis.length]);
    int64_t count = runtime::elements(argument.shape, lengths);
    if (argument.integer) {
      std::vector<int64_t> integers(count);
      for (size_t k = 0; k < integers.size() && argument.bound; ++k)
        integers[k] = (of.ids.empty() ? random() : of.ids[k % of.ids.size()]) %
                      argument.bound;
      writeNpy(file, shape, integers);
    } else {
      std::vector<double> reals(count);
      for (double &x : reals)
        x = normal(random);
      writeNpy(file, shape, reals);
    }
    return file;
  }

  /// Longer arguments are not tried.
  static constexpr int64_t longestTried = 1 << 20;
  const std::vector<runtime::Entry> &entries;
  std::string folder;
  const driver::MadeOf &of;
  std::mt19937 random{1};
  std::normal_distribution<double> normal;
  std::map<std::string, std::string> files;         // by argument
  std::set<std::pair<std::string, size_t>> results; // name and rank
};

} // namespace

std::vector<std::string> driver::makeInputs(mlir::ModuleOp module,
                                            const std::string &folder,
                                            const MadeOf &of) {
  auto metadata = runtime::Metadata::of(host::describeProgram(module));
  return InputMaker(metadata.entries, folder, of).made();
}
