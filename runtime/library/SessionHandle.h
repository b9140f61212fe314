// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a session: from the caller's arguments to a result.

#pragma once

#include "runtime/library/Arguments.h"
#include "runtime/library/ProgramHandle.h"
#include "runtime/library/ResultHandle.h"
#include "runtime/program/call/Session.h"
#include "runtime/tasks/generate/ChatModel.h"
#include "runtime/tasks/speech/Transcriber.h"
#include "runtime/tasks/text/Classes.h"
#include "runtime/tasks/text/Embedder.h"
#include "runtime/tasks/text/Filler.h"
#include "runtime/tasks/text/Reranker.h"

#include <atomic>
#include <functional>
#include <memory>

namespace transfold::runtime::inline library {

/// Implements tfold_session.
class SessionHandle final : public tfold_session {
public:
  explicit SessionHandle(const ProgramHandle &program)
      : program(program.loaded()), session(program.loaded(), program.pool()) {}

  void free() override { delete this; }
  const char *error() const override { return problem.c_str(); }
  void cancel() override { isCancelled = true; }

  tfold_status tokenize(const tfold_text *texts, size_t count,
                        tfold_result **result) override;
  tfold_status detokenize(const int32_t *ids, size_t count, bool withSpecial,
                          tfold_result **result) override;
  tfold_status embed(const tfold_text *texts, size_t count,
                     tfold_result **result) override;
  tfold_status embedIds(const int32_t *ids, const int64_t *lengths,
                        size_t count, tfold_result **result) override;
  tfold_status classify(const tfold_text *texts, size_t count, size_t top,
                        tfold_result **result) override;
  tfold_status tag(const tfold_text *texts, size_t count, size_t top,
                   tfold_result **result) override;
  tfold_status fill(const tfold_text *texts, size_t count, size_t top,
                    tfold_result **result) override;
  tfold_status run(const char *entry, const tfold_array *inputs, size_t count,
                   tfold_result **result) override;
  tfold_status generate(const tfold_text *text,
                        const tfold_generate_options *options,
                        tfold_result **result) override;
  tfold_status generateIds(const int32_t *ids, size_t count,
                           const tfold_generate_options *options,
                           tfold_result **result) override;
  tfold_status generateArray(const tfold_array *features,
                             const tfold_generate_options *options,
                             tfold_result **result) override;
  tfold_status chat(const tfold_text *conversation,
                    const tfold_generate_options *options,
                    tfold_result **result) override;
  tfold_status chatPrompt(const tfold_text *conversation,
                          tfold_result **result) override;
  tfold_status transcribe(const float *samples, size_t count, int64_t rate,
                          const tfold_transcribe_options *options,
                          tfold_result **result) override;
  tfold_status transcribeFile(const char *path,
                              const tfold_transcribe_options *options,
                              tfold_result **result) override;
  tfold_status rerank(const tfold_text *query, const tfold_text *documents,
                      size_t count, tfold_result **result) override;

private:
  const LoadedProgram &program;
  Session session;
  std::string problem;
  /// isBusy: a request is running; isCancelled: it shall end before its next
  /// step.
  std::atomic<bool> isBusy = false, isCancelled = false;

  /// Objects that requests reuse; each is created when it is first needed.
  struct Kept {
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<Embedder> embedder, idEmbedder;
    std::unique_ptr<Classifier> classifier;
    std::unique_ptr<Reranker> reranker;
    std::unique_ptr<Tagger> tagger;
    std::unique_ptr<Filler> filler;
    std::unique_ptr<Generator> generator;
    std::unique_ptr<ChatModel> chat;
    std::unique_ptr<Transcriber> transcriber;
  } kept;

  /// Runs `work` as the request of this session: rejects concurrent requests,
  /// clears the last error, and turns exceptions into a status and a message.
  tfold_status serve(tfold_result **result,
                     const std::function<void(ResultHandle &)> &work) noexcept;
  /// Returns the object in `kept`, creating it first if necessary. If it cannot
  /// be created, the model does not support the request:
  /// TFOLD_ERROR_UNSUPPORTED.
  template <typename Made, typename... Arguments>
  static Made &madeOnce(std::unique_ptr<Made> &kept, Arguments &&...arguments) {
    return madeBy(kept, [&] {
      return std::make_unique<Made>(std::forward<Arguments>(arguments)...);
    });
  }
  /// The same with a function that creates it.
  template <typename Made, typename Make>
  static Made &madeBy(std::unique_ptr<Made> &kept, Make make) {
    try {
      if (!kept)
        kept = make();
      return *kept;
    } catch (const OutOfMemory &) {
      throw;
    } catch (const Error &error) {
      throw Failure(TFOLD_ERROR_UNSUPPORTED, error.what());
    }
  }
  /// Throws Failure if the program has no tokenizer.
  void needTokenizer() const;
  /// The tokenizer. Throws Failure if the program has none.
  const Tokenizer &tokenizer();
  /// The chat model, which keeps the caches of a conversation. Throws Failure.
  ChatModel &chatModel();
  /// Throws Failure if the program has no task `kind`.
  void needTask(const char *kind) const;
  /// The texts for the task `kind`. Throws Failure if the program lacks it, or
  /// a tokenizer, or if the texts are missing.
  std::span<const tfold_text>
  textsFor(const char *kind, const tfold_text *texts, size_t count) const;
  /// Throws Cancelled if the request was cancelled.
  void checkCancelled() const;
  /// Calls `take` with the result of `run` for each text in turn, until the
  /// request is cancelled. The message of an exception thrown by `run` gets the
  /// index of the text.
  template <typename Run, typename Take>
  void forEachText(std::span<const tfold_text> texts, Run run, Take take) const;
  /// Embeds `count` sequences; `encode` returns their encodings one by one.
  void embedAll(Embedder &embedder, size_t count,
                const std::function<Encoding(size_t)> &encode,
                ResultHandle &result);
  /// Common part of the generate functions: `read` creates the request from the
  /// caller's input.
  tfold_status generateFrom(const tfold_generate_options *options,
                            tfold_result **result,
                            const std::function<Request(Generator &)> &read);
  /// Common part of the transcribe functions: `read` returns the recording,
  /// resampled to the rate that it is given, that of the model.
  tfold_status hear(const tfold_transcribe_options *options,
                    tfold_result **result,
                    const std::function<Recording(int64_t)> &read);
};

} // namespace transfold::runtime::inline library
