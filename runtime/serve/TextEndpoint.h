// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the endpoints have in common that compute values of texts: embeddings,
// and scores of documents.

#pragma once

#include "runtime/serve/Endpoint.h"
#include "runtime/serve/engine/TextBatcher.h"

namespace transfold::runtime::serve {

/// An endpoint whose texts a batcher runs, those of all clients together.
class TextEndpoint : public Endpoint {
public:
  void stop() final { batcher.stop(); }
  void writeMetrics(MetricsText &text) const final;

protected:
  struct Metric {
    const char *name, *help;
  };
  /// How the metrics of an endpoint are named.
  struct MetricNames {
    Metric waiting, texts, tokens, batches;
  };

  const EndpointOptions options;

private:
  const MetricNames names;
  Session session; // of the batcher's thread

protected:
  TextBatcher batcher;

  /// For the program's task `kind`. Throws Error if it has no such task.
  TextEndpoint(const ServedProgram &served, const char *kind, MetricNames names)
      : options(served.options), names(names),
        session(served.program, served.pool),
        batcher(session, kind, options.waiting) {}

  /// The texts of a request, how many tokens they have, and how many texts were
  /// truncated.
  struct Texts {
    std::vector<Encoding> all;
    size_t tokens = 0, cut = 0;
  };
  /// Tokenizes in the thread of the request: `encode` is called with each of
  /// `inputs` and the function that looks whether the client still waits.
  template <typename Input, typename Encode>
  static Texts tokenized(Exchange &exchange, const std::vector<Input> &inputs,
                         Encode encode) {
    Texts texts;
    for (const Input &input : inputs) {
      exchange.watch.look();
      texts.all.push_back(encode(input, exchange.watch.looks()));
      texts.tokens += texts.all.back().ids.size();
      texts.cut += texts.all.back().cut > 0;
      exchange.log->usage.prompt = texts.tokens;
    }
    return texts;
  }
  /// Waits for the batcher; returns the values of each text. The request itself
  /// must not need memory any more. Throws ApiError.
  TextJob::Pointer computed(Exchange &exchange, std::vector<Encoding> texts);
};

} // namespace transfold::runtime::serve
