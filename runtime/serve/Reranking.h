// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the route /v1/rerank, as Jina's, Cohere's and llama.cpp's servers
// have it.

#pragma once

#include "runtime/serve/Endpoint.h"
#include "runtime/serve/engine/TextBatcher.h"
#include "runtime/tasks/text/Labels.h"

namespace transfold::runtime::serve {

/// Orders documents by their relevance to a query, with one program.
class Reranking final : public Endpoint {
public:
  /// Throws Error if the program does not score pairs of texts.
  Reranking(const LoadedProgram &program, ThreadPool &pool,
            EndpointOptions options);

  std::vector<Route> routes() override;
  void stop() override { batcher.stop(); }
  void writeMetrics(MetricsText &text) const override;

private:
  EndpointOptions options;
  Session session; // of the batcher's thread
  TextBatcher batcher;
  Labels labels;

  HttpReply rerank(Exchange &exchange);
};

} // namespace transfold::runtime::serve
