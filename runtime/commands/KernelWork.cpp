// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/KernelWork.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

double operationsOf(const Work &work, const Entry &entry,
                    std::span<const SequenceLengths> sequences) {
  size_t own = entry.lengths.size();
  double sum = 0;
  for (const SequenceLengths &sequence : sequences)
    for (const Work::Term &term : work.terms) {
      double product = term.operations;
      for (size_t length : term.lengths)
        product *= length < own ? sequence.lengths.at(length)
                                : sequence.seen.at(length - own);
      sum += product;
    }
  return sum;
}

/// What a kernel does, or the one whose place it takes where rows are few.
const Work *workOf(const std::string &kernel, const Metadata &metadata,
                   const Entry &entry) {
  auto own = std::ranges::find(metadata.kernels, kernel, &Kernel::name);
  const std::string &name =
      own == metadata.kernels.end() || own->fewOf.empty() ? kernel : own->fewOf;
  auto found = std::ranges::find(entry.work, name, &Work::kernel);
  return found == entry.work.end() ? nullptr : &*found;
}

} // namespace

double operationsOf(const Entry &entry,
                    std::span<const SequenceLengths> sequences) {
  double sum = 0;
  for (const Work &work : entry.work)
    sum += operationsOf(work, entry, sequences);
  return sum;
}

void addLimits(std::vector<KernelTimes::Row> &rows, const Metadata &metadata,
               const Entry &entry, std::span<const SequenceLengths> sequences,
               const MachineLimits &limits) {
  for (KernelTimes::Row &row : rows) {
    const Work *work = workOf(row.kernel, metadata, entry);
    if (!work || !work->launches || !(row.milliseconds > 0))
      continue;
    // Of several places that launch it some may have launched another one: as
    // much as an average launch does. What has more launches than places has
    // them for each sequence, and its operations are those of all.
    const bool isOfSequences = row.launches > work->launches;
    const double places = static_cast<double>(work->launches) *
                          (isOfSequences ? sequences.size() : 1);
    const double seconds = row.milliseconds * 1e-3,
                 times = static_cast<double>(row.launches) / places / seconds,
                 reads = static_cast<double>(row.launches) /
                         static_cast<double>(work->launches) / seconds;
    Products products =
        std::ranges::find(metadata.kernels, row.kernel, &Kernel::name)
            ->products;
    auto consider = [&](double done, double limit, const char *name) {
      if (limit > 0 && done / limit > row.share) {
        row.share = done / limit;
        row.limit = name;
      }
    };
    consider(times * operationsOf(*work, entry, sequences),
             limits.operations.at(products), nameOf(products));
    consider(reads * static_cast<double>(work->weightBytes), limits.bytesRead,
             "memory");
  }
}

MachineLimits limitsFor(const std::string &given, unsigned threads) {
  return given.empty() ? MachineLimits::measure(threads)
                       : MachineLimits::parse(given);
}

} // namespace transfold::runtime
