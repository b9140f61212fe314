// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects times per kernel number, and prints them. Variants of a kernel for
// other processors share its number.

#include "runtime/commands/bench/KernelTimes.h"

#include "base/files/output/OutputFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::inline commands {

KernelTimes::KernelTimes(Session &session)
    : transfold_watch{[](transfold_watch *self, uint32_t kernel) {
        static_cast<KernelTimes *>(self)->note(kernel);
      }},
      session(session) {
  for (const Kernel &kernel : session.metadata().kernels)
    if (kernel.variantOf.empty())
      byNumber.emplace_back().kernel = kernel.name;
  session.setWatch(this);
}

KernelTimes::~KernelTimes() { session.setWatch(nullptr); }

void KernelTimes::note(uint32_t kernel) {
  session.synchronize();
  auto now = std::chrono::steady_clock::now();
  Row &row = byNumber.at(kernel);
  ++row.launches;
  row.milliseconds +=
      std::chrono::duration<double, std::milli>(now - last).count();
  last = now;
}

std::vector<KernelTimes::Row> KernelTimes::rows(int64_t runs) const {
  std::vector<Row> rows;
  std::ranges::copy_if(byNumber, std::back_inserter(rows),
                       [](const Row &row) { return row.launches > 0; });
  std::ranges::sort(rows, std::greater{}, &Row::milliseconds);
  for (Row &row : rows) {
    row.launches /= runs;
    row.milliseconds /= static_cast<double>(runs);
  }
  return rows;
}

std::string asJson(const std::vector<KernelTimes::Row> &rows) {
  std::string text;
  for (const KernelTimes::Row &row : rows)
    text += fmt::format(
        "{}{{\"kernel\": \"{}\", \"launches\": {}, \"ms\": {:.6f}{}}}",
        text.empty() ? "" : ", ", row.kernel, row.launches, row.milliseconds,
        row.share > 0 ? fmt::format(", \"share\": {:.3f}, \"limit\": \"{}\"",
                                    row.share, row.limit)
                      : "");
  return "[" + text + "]";
}

void printKernelTimes(const std::vector<KernelTimes::Row> &rows) {
  double total = 0;
  for (const KernelTimes::Row &row : rows)
    total += row.milliseconds;
  for (const KernelTimes::Row &row : rows)
    print(fmt::format("{:9.3f} ms {:5.1f} %  {:4} launch{}  {:20}  {}\n",
                      row.milliseconds, 100 * row.milliseconds / total,
                      row.launches, row.launches == 1 ? "  " : "es",
                      row.share > 0 ? fmt::format("{:3.0f} % of {}",
                                                  100 * row.share, row.limit)
                                    : "",
                      row.kernel));
}

} // namespace transfold::runtime::inline commands
