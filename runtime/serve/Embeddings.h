// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the route /v1/embeddings.

#pragma once

#include "runtime/serve/Endpoint.h"
#include "runtime/serve/engine/TextBatcher.h"

namespace transfold::runtime::serve {

/// Serves the embeddings of one program.
class Embeddings final : public Endpoint {
public:
  /// Throws Error if the program does not embed texts.
  Embeddings(const LoadedProgram &program, ThreadPool &pool,
             EndpointOptions options);

  std::vector<Route> routes() override;
  void stop() override { batcher.stop(); }
  void writeMetrics(MetricsText &text) const override;

private:
  EndpointOptions options;
  Session session; // of the batcher's thread
  TextBatcher batcher;

  HttpReply embed(Exchange &exchange);
};

} // namespace transfold::runtime::serve
