// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the time of a kernel with the least time that the machine needs for
// its multiplications, and for reading its weights.

#include "runtime/commands/bench/KernelWork.h"

#include "runtime/commands/bench/DeviceSpeed.h"

#include <algorithm>
#include <map>

namespace transfold::runtime::inline commands {

namespace {

/// Multiplications and additions of one kernel for all sequences.
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

/// The work of a kernel, or of the kernel that it replaces if there are few
/// rows.
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
  std::map<const Work *, int64_t> launches;
  for (const KernelTimes::Row &row : rows)
    launches[workOf(row.kernel, metadata, entry)] += row.launches;
  for (KernelTimes::Row &row : rows) {
    const Work *work = workOf(row.kernel, metadata, entry);
    if (!work || !work->launches || !(row.milliseconds > 0))
      continue;
    // The kernel's part of the work: a small-M variant may be launched in its
    // place. A launch processes all rows, those of a group or those of a
    // sequence, and reads all weights.
    const double seconds = row.milliseconds * 1e-3,
                 part = static_cast<double>(row.launches) /
                        static_cast<double>(launches.at(work)),
                 reads = static_cast<double>(row.launches) /
                         static_cast<double>(work->launches);
    Products products =
        std::ranges::find(metadata.kernels, row.kernel, &Kernel::name)
            ->products;
    auto consider = [&](double done, double limit, const char *name) {
      const double share = done / seconds / limit;
      if (limit > 0 && share > row.share) {
        row.share = share;
        row.limit = name;
      }
    };
    consider(part * operationsOf(*work, entry, sequences), limits.of(products),
             nameOf(products));
    consider(reads * static_cast<double>(work->weightBytes), limits.bytesRead,
             "memory");
  }
}

MachineLimits limitsFor(const std::string &given, const Session &session) {
  if (!given.empty())
    return MachineLimits::parse(given);
  if (!session.program().isOnDevice())
    return MachineLimits::measure(session.pool().threads());
  MachineLimits limits;
  limits.bytesRead = copyingSpeed(session.program().deviceWeights());
  return limits;
}

} // namespace transfold::runtime::inline commands
