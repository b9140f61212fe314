// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the routes /v1/audio/transcriptions and /v1/audio/translations.

#pragma once

#include "runtime/serve/Endpoint.h"
#include "runtime/serve/engine/Transcriptions.h"

namespace transfold::runtime::serve {

/// Serves the transcriptions of one program.
class Recordings final : public Endpoint {
public:
  /// Throws Error if the program does not transcribe recordings.
  Recordings(const LoadedProgram &program, ThreadPool &pool,
             EndpointOptions options);

  std::vector<Route> routes() override;
  void stop() override { transcriptions.stop(); }
  void writeMetrics(MetricsText &text) const override;

private:
  EndpointOptions options;
  Transcriptions transcriptions;

  /// `translates`: to English.
  HttpReply transcribe(Exchange &exchange, bool translates);
};

} // namespace transfold::runtime::serve
