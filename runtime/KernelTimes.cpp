// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/KernelTimes.h"

#include <algorithm>

namespace transfold::runtime {

KernelTimes::KernelTimes(Session &session)
    : transfold_watch{[](transfold_watch *self, uint32_t kernel) {
        static_cast<KernelTimes *>(self)->note(kernel);
      }},
      session(session) {
  for (const Kernel &kernel : session.metadata().kernels)
    if (kernel.variantOf.empty())
      byNumber.push_back({kernel.name});
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

std::vector<KernelTimes::Row> KernelTimes::rows() const {
  std::vector<Row> rows;
  std::ranges::copy_if(byNumber, std::back_inserter(rows),
                       [](const Row &row) { return row.launches > 0; });
  std::ranges::sort(rows, std::greater{}, &Row::milliseconds);
  return rows;
}

} // namespace transfold::runtime
