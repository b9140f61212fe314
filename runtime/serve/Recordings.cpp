// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the form of a request, queues its recording, and waits for the text.

#include "runtime/serve/Endpoints.h"
#include "runtime/serve/api/AudioReplies.h"
#include "runtime/serve/engine/Transcriptions.h"

#include <utility>

namespace transfold::runtime::serve {

namespace {

class Recordings final : public Endpoint {
public:
  explicit Recordings(const ServedProgram &served)
      : options(served.options),
        transcriptions(served.program, served.pool, options.parallel,
                       options.waiting) {}

  std::vector<Route> routes() override {
    auto hear = [this](bool translates) {
      return [this, translates](Exchange &exchange) {
        return transcribe(exchange, translates);
      };
    };
    std::vector<Route> all = {
        {"/v1/audio/transcriptions", hear(false), /*takesForm=*/true}};
    if (transcriptions.translates())
      all.push_back({"/v1/audio/translations", hear(true), /*takesForm=*/true});
    return all;
  }

  void stop() override { transcriptions.stop(); }
  void writeMetrics(MetricsText &text) const override;

private:
  const EndpointOptions options;
  Transcriptions transcriptions;

  /// `translates`: to English.
  HttpReply transcribe(Exchange &exchange, bool translates) {
    AudioRequest request = readAudioRequest(exchange.http.form);
    checkModel(request.model, options);
    const AudioRequest::Format format = request.format;
    auto job = transcriptions.submit(std::move(request), translates,
                                     exchange.watch.deadline,
                                     exchange.http.isDisconnected);
    job->wait();
    if (job->error())
      throw ApiError(*job->error());
    exchange.log->usage.made = job->result().tokensMade();
    return audioReply(job->result(), format, translates);
  }
};

void Recordings::writeMetrics(MetricsText &text) const {
  auto real = [](size_t count) { return static_cast<double>(count); };
  Transcriptions::Numbers numbers = transcriptions.numbers();
  text.one("transfold_waiting_transcriptions", "gauge",
           "Recordings in the queue", real(numbers.waiting));
  text.one("transfold_running_transcriptions", "gauge",
           "Recordings in progress", real(numbers.running));
  text.one("transfold_heard_seconds_total", "counter", "Seconds of recordings",
           numbers.seconds);
  text.one("transfold_transcription_tokens_total", "counter",
           "Tokens of the texts of recordings", real(numbers.tokens));
}

} // namespace

std::unique_ptr<Endpoint> makeRecordings(const ServedProgram &served) {
  return std::make_unique<Recordings>(served);
}

} // namespace transfold::runtime::serve
