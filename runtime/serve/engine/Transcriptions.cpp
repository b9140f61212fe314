// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of the thread that transcribes: it admits jobs, advances each by one
// window, and finishes those that are complete, so that short recordings do not
// wait for long ones.

#include "runtime/serve/engine/Transcriptions.h"

#include "base/Error.h"

#include <algorithm>

namespace transfold::runtime::serve {

Transcriptions::Transcriptions(const LoadedProgram &program, ThreadPool &pool,
                               size_t mostRunning, size_t mostWaiting)
    : session(program, pool), transcriber(Transcriber::make(session)),
      mostRunning(mostRunning), queue(mostWaiting), thread([this] { work(); }) {
}

Transcriptions::~Transcriptions() {
  stop();
  thread.join();
}

TranscriptionOptions Transcriptions::optionsOf(const AudioRequest &request,
                                               bool translates) const {
  using Format = AudioRequest::Format;
  TranscriptionOptions options;
  options.language = request.language;
  options.translates = translates;
  options.hasTimes =
      request.format == Format::Srt || request.format == Format::Vtt ||
      (request.format == Format::VerboseJson && transcriber->hasTimes());
  try {
    transcriber->check(options);
  } catch (const Error &error) {
    throw badRequest(error.what(),
                     request.language.empty() ? "response_format" : "language");
  }
  return options;
}

TranscriptionJob::Pointer
Transcriptions::submit(AudioRequest request, bool translates,
                       Clock::time_point deadline,
                       std::function<bool()> isDisconnected) {
  TranscriptionOptions options = optionsOf(request, translates);
  std::optional<Recording> recording;
  try {
    recording = Recording::ofBytes(std::move(request.file), request.fileName,
                                   transcriber->rate());
    if (recording->samples() == 0)
      fail("{}: has no samples", request.fileName);
  } catch (const Error &error) {
    throw badRequest(error.what(), "file");
  }
  auto job = std::make_shared<TranscriptionJob>(std::move(*recording),
                                                std::move(options), deadline,
                                                std::move(isDisconnected));
  queue.add(job);
  return job;
}

/// Admits queued jobs, and waits if there are none. Returns false if the server
/// is stopping.
bool Transcriptions::next() {
  std::unique_lock lock(queue.mutex);
  std::erase_if(running,
                [](const auto &job) { return job->isCancelledOrExpired(); });
  known.running = running.size();
  if (running.empty())
    queue.isNew.wait(
        lock, [this] { return queue.isStopping || !queue.jobs.empty(); });
  while (running.size() < mostRunning && !queue.jobs.empty()) {
    TranscriptionJob::Pointer job = std::move(queue.jobs.front());
    queue.jobs.pop_front();
    if (!job->isCancelledOrExpired())
      running.push_back(std::move(job));
  }
  known.running = running.size();
  return !queue.isStopping;
}

/// Whether no client waits any more; called before each token.
bool Transcriptions::isNobodyThere() {
  {
    std::lock_guard lock(queue.mutex);
    if (queue.isStopping)
      return true;
  }
  return std::ranges::all_of(
      running, [](const auto &job) { return job->isCancelledOrExpired(); });
}

/// Processes one window of each job. If that fails, each job is run alone, so
/// that one cannot fail the others.
void Transcriptions::advance(std::span<const TranscriptionJob::Pointer> jobs) {
  std::vector<Transcription *> windows;
  for (const TranscriptionJob::Pointer &job : jobs)
    windows.push_back(&job->work());
  try {
    transcriber->advance(windows, [this] { return isNobodyThere(); });
  } catch (
      const Cancelled &) { // next() removes the jobs of disconnected clients
  } catch (const std::exception &error) {
    if (jobs.size() == 1)
      jobs[0]->fail(ApiError(500, error.what()));
    else
      for (size_t i = 0; i < jobs.size(); ++i)
        advance(jobs.subspan(i, 1));
  }
}

/// Finishes the jobs that are complete.
void Transcriptions::settle() {
  auto over = std::ranges::stable_partition(
      running, [](const auto &job) { return !job->work().isOver(); });
  std::vector<TranscriptionJob::Pointer> done(over.begin(), over.end());
  running.erase(over.begin(), over.end());
  {
    std::lock_guard lock(queue.mutex);
    known.running = running.size();
    for (const TranscriptionJob::Pointer &job : done) {
      known.seconds += job->work().seconds();
      known.tokens += job->work().tokensMade();
    }
  }
  for (const TranscriptionJob::Pointer &job : done)
    job->finish();
}

void Transcriptions::work() {
  while (next()) {
    advance(running);
    settle();
  }
  std::lock_guard lock(queue.mutex);
  for (const TranscriptionJob::Pointer &job : running)
    job->fail(serverIsStopping());
  for (const TranscriptionJob::Pointer &job : queue.jobs)
    job->fail(serverIsStopping());
  running.clear();
  queue.jobs.clear();
  known.running = 0;
}

} // namespace transfold::runtime::serve
