// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that gathers texts, runs them and returns vectors. Texts wait for a
// batch only while the preceding one runs: no time is spent on waiting for
// more.

#include "runtime/serve/engine/TextBatcher.h"

#include "base/Error.h"
#include "runtime/tasks/text/Embedder.h"

#include <utility>

namespace transfold::runtime::serve {

TextBatcher::TextBatcher(Session &session, const char *kind, size_t mostWaiting)
    : call(session, kind), queue(mostWaiting), thread([this] { work(); }) {}

TextBatcher::~TextBatcher() {
  stop();
  thread.join();
}

int64_t TextBatcher::dimensions() const {
  return call.entry().results[0].shape.back().size;
}

/// The result of `encode`. Throws ApiError if the model cannot read all of it:
/// the message names the texts as `have`, the text to be cut as `cut`, and
/// `one` text of `field`.
template <typename Encode>
static Encoding encoded(const TextCall &call, const Encode &encode,
                        const char *have, const char *cut, const char *one,
                        const char *field) {
  try {
    return encode();
  } catch (const TooManyTokens &) {
    throw ApiError(
        400,
        fmt::format("{} more than {} tokens, the model's limit; with "
                    "\"truncate\": true {} is truncated.",
                    have, call.most(), cut),
        field, "context_length_exceeded");
  } catch (const Error &error) {
    throw badRequest(fmt::format("{} of '{}' {}", one, field, error.what()),
                     field);
  }
}

Encoding TextBatcher::encode(const TextOrIds &text, bool truncate,
                             const Look &look) const {
  auto encode = [&] {
    if (const auto *ids = std::get_if<std::vector<int32_t>>(&text))
      return call.encode(*ids);
    return call.encode(std::get<std::string>(text), !truncate, look);
  };
  return encoded(call, encode, "A text has", "it", "A text", "input");
}

Encoding TextBatcher::encodePair(const std::string &query,
                                 const std::string &document, bool truncate,
                                 const Look &look) const {
  auto encode = [&] {
    return call.encodePair(query, document, !truncate, look);
  };
  return encoded(call, encode, "The query and a document have",
                 "the longer one", "A document", "documents");
}

TextJob::Pointer TextBatcher::submit(std::vector<Encoding> texts,
                                     Clock::time_point deadline,
                                     std::function<bool()> isDisconnected) {
  auto job = std::make_shared<TextJob>(std::move(texts), deadline,
                                       std::move(isDisconnected));
  queue.add(job);
  return job;
}

/// Takes one text of each request in turn, until there are enough tokens; waits
/// for the first one. Returns no texts if the server is stopping.
std::vector<TextBatcher::Item> TextBatcher::gather() {
  std::vector<Item> items;
  size_t tokens = 0;
  std::deque<TextJob::Pointer> &jobs = queue.jobs;
  std::unique_lock lock(queue.mutex);
  while (items.empty() && !queue.isStopping) {
    queue.isNew.wait(lock, [&] { return queue.isStopping || !jobs.empty(); });
    while (tokens < Embedder::enoughTokens && !jobs.empty() &&
           !queue.isStopping) {
      TextJob::Pointer job = std::move(jobs.front());
      jobs.pop_front();
      if (job->isCancelledOrExpired())
        continue;
      items.push_back({job, job->take()});
      tokens += job->text(items.back().text).ids.size();
      if (job->hasMore())
        jobs.push_back(std::move(job));
    }
  }
  known.batches += !items.empty();
  known.texts += items.size();
  known.tokens += tokens;
  return items;
}

void TextBatcher::run(std::span<const Item> items) {
  std::vector<Encoding> texts;
  for (const Item &item : items)
    texts.push_back(item.job->text(item.text));
  try {
    call.run(texts);
  } catch (const std::exception &error) {
    // If the batch fails, each text is run alone, so that one text cannot fail
    // the others.
    if (items.size() == 1)
      items[0].job->fail(ApiError(500, error.what()));
    else
      for (size_t i = 0; i < items.size(); ++i)
        run(items.subspan(i, 1));
    return;
  }
  std::vector<TextJob::Pointer> done;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].job->put(items[i].text, call.result(0, i)))
      done.push_back(items[i].job);
  TextJob::finish(std::move(done));
}

void TextBatcher::work() {
  for (std::vector<Item> items = gather(); !items.empty(); items = gather())
    run(items);
  std::lock_guard lock(queue.mutex);
  for (const TextJob::Pointer &job : queue.jobs)
    job->fail(serverIsStopping());
  queue.jobs.clear();
}

} // namespace transfold::runtime::serve
