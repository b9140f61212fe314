// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for the batcher, and writes its counters.

#include "runtime/serve/TextEndpoint.h"

namespace transfold::runtime::serve {

TextJob::Pointer TextEndpoint::computed(Exchange &exchange,
                                        std::vector<Encoding> texts) {
  exchange.share.giveBack();
  TextJob::Pointer job = batcher.submit(
      std::move(texts), exchange.watch.deadline, exchange.http.isDisconnected);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  return job;
}

void TextEndpoint::writeMetrics(MetricsText &text) const {
  const TextBatcher::Numbers numbers = batcher.numbers();
  auto write = [&](const Metric &metric, const char *kind, size_t count) {
    text.one(metric.name, kind, metric.help, static_cast<double>(count));
  };
  write(names.waiting, "gauge", numbers.waiting);
  write(names.texts, "counter", numbers.texts);
  write(names.tokens, "counter", numbers.tokens);
  write(names.batches, "counter", numbers.batches);
}

} // namespace transfold::runtime::serve
