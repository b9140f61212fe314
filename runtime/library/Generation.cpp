// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that generate tokens, which are passed to the caller as they are
// made.

#include "runtime/library/SessionHandle.h"
#include "runtime/tasks/generate/Conversation.h"

namespace transfold::runtime::inline library {

namespace {

/// Maximum number of new tokens if the caller sets none.
constexpr int64_t usualTokens = 128;

/// Collects the generated tokens and text in the result and passes them to the
/// caller's callback.
class Stream {
public:
  Stream(const RequestOptions &options, const Tokenizer *tokenizer,
         ResultHandle &result)
      : options(options), result(result) {
    if (!tokenizer)
      return;
    result.say("");
    text.emplace(
        [tokenizer](std::span<const int32_t> ids) {
          return tokenizer->decode(ids);
        },
        options.stops, [this](std::string_view more) { take(more); });
  }

  /// Receives new text, which is told with the next token.
  void take(std::string_view more) {
    result.say(more);
    untold += more;
  }
  /// Passes the pending text and `tokens` to the callback; false if it cancels.
  bool tell(std::span<const int32_t> tokens) {
    bool goesOn = true;
    if (options.stream) {
      tfold_piece piece = {sizeof piece,
                           {untold.data(), untold.size()},
                           tokens.data(),
                           tokens.size()};
      goesOn = options.stream(options.context, &piece) == 0;
    }
    untold.clear();
    return goesOn;
  }
  /// The receiver for goOn(); this object must outlive it.
  Listener listener() {
    return {text ? &*text : nullptr,
            [this](int32_t token) { return tell(std::span(&token, 1)); }};
  }

  /// Called after the last token; the text of the last tokens may still be
  /// pending.
  void finish(Completion completion) {
    if (completion.end != Completion::End::Cancelled && !untold.empty() &&
        !tell({}))
      completion.end = Completion::End::Cancelled;
    result.add("tokens", std::move(completion.tokens));
    if (options.sampling.isScored && options.beams == 1)
      result.add("log_probabilities", std::move(completion.logProbabilities));
    if (options.beams > 1)
      result.add("score", std::vector<double>{completion.score});
    result.endWith(endOf(completion.end));
  }

private:
  const RequestOptions &options;
  ResultHandle &result;
  std::optional<TextStream> text;
  /// Text that the callback has not got yet.
  std::string untold;

  /// The end as callers know it.
  static tfold_end endOf(Completion::End end) {
    switch (end) {
    case Completion::End::Token:
      return TFOLD_END_TOKEN;
    case Completion::End::Text:
      return TFOLD_END_STOP;
    case Completion::End::Length:
      return TFOLD_END_LENGTH;
    case Completion::End::Cancelled:
      return TFOLD_END_CANCELLED;
    }
    __builtin_unreachable();
  }
};

/// Adds the numbers of tokens of the prompt, and of those that were in the
/// caches.
void addCounts(ResultHandle &result, size_t prompt, size_t reused) {
  result.add("prompt_tokens",
             std::vector<int64_t>{static_cast<int64_t>(prompt)});
  result.add("reused_tokens",
             std::vector<int64_t>{static_cast<int64_t>(reused)});
}

/// Whether the encoder (the decoder, if there is no encoder) reads token ids.
bool readsTokens(const Generator &generator) {
  const Entry *encoder = generator.encoder();
  return !encoder || encoder->arguments.at(0).integer;
}

/// Throws Failure if the model reads no tokens, and so no `given`.
void needTokens(const Generator &generator, const char *given) {
  if (!readsTokens(generator))
    failWith(TFOLD_ERROR_UNSUPPORTED,
             "the model reads no {}; tfold_generate_array gives it what it "
             "reads",
             given);
}

} // namespace

tfold_status
SessionHandle::generateFrom(const tfold_generate_options *given,
                            tfold_result **result,
                            const std::function<Request(Generator &)> &read) {
  return serve(result, [&](ResultHandle &made) {
    if (!generatingTask(program.metadata()))
      needTask("generate");
    RequestOptions options = optionsOf(given, usualTokens);
    options.isCancelled = [this] { return isCancelled.load(); };
    if (!kept.generator)
      kept.generator = std::make_unique<Generator>(session);
    Generator &generator = *kept.generator;
    checkIds(generator, options);
    bool hasTokenizer = !program.tokenizerTables().empty();
    if (!options.stops.empty())
      tokenizer();
    Request request = read(generator);
    Stream stream(options, hasTokenizer ? &tokenizer() : nullptr, made);
    size_t prompt = request.ids.size();
    stream.finish(complete(generator, request, options, stream.listener()));
    addCounts(made, prompt, 0);
  });
}

tfold_status SessionHandle::generate(const tfold_text *text,
                                     const tfold_generate_options *options,
                                     tfold_result **result) {
  return generateFrom(options, result, [&](Generator &generator) {
    needTokens(generator, "texts");
    return Request{tokenizer().encode(textOf(text, "text")).ids};
  });
}

tfold_status SessionHandle::generateIds(const int32_t *ids, size_t count,
                                        const tfold_generate_options *options,
                                        tfold_result **result) {
  return generateFrom(options, result, [&](Generator &generator) {
    needTokens(generator, "ids");
    auto all = listOf(ids, count, "ids");
    return Request{{all.begin(), all.end()}};
  });
}

tfold_status SessionHandle::generateArray(const tfold_array *features,
                                          const tfold_generate_options *options,
                                          tfold_result **result) {
  std::optional<NpyArray> view; // must live as long as the request
  return generateFrom(options, result, [&](Generator &generator) {
    if (readsTokens(generator))
      failWith(TFOLD_ERROR_UNSUPPORTED,
               "the model reads tokens; give a text, or ids");
    if (!features)
      failWith(TFOLD_ERROR_ARGUMENT, "features is null");
    view.emplace(arrayOf(*features));
    if (view->shape().empty() || view->shape()[0] != 1)
      failWith(TFOLD_ERROR_ARGUMENT,
               "{}: its first axis must be the batch, of one", features->name);
    return Request{{}, &*view, 0};
  });
}

//===----------------------------------------------------------------------===//
// Conversations
//===----------------------------------------------------------------------===//

ChatModel &SessionHandle::chatModel() {
  needTask("chat");
  return madeOnce(kept.chat, session, std::nullopt);
}

tfold_status SessionHandle::chat(const tfold_text *conversation,
                                 const tfold_generate_options *given,
                                 tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    ChatModel &model = chatModel();
    RequestOptions options = optionsOf(given, 0); // ChatModel::usualMost
    if (options.beams > 1)
      failWith(TFOLD_ERROR_UNSUPPORTED,
               "conversations do not support beam search");
    options.isCancelled = [this] { return isCancelled.load(); };
    checkIds(model.makesTokens(), options);
    std::vector<int32_t> ids = model.tokens(
        model.prompt(parseConversation(textOf(conversation, "conversation"),
                                       "the conversation"),
                     options.isCancelled));
    if (static_cast<int64_t>(ids.size()) >= model.room())
      failWith(TFOLD_ERROR_ARGUMENT,
               "the conversation has {} tokens, but there is room for {} with "
               "its answer",
               ids.size(), model.room());
    made.say("");
    Stream stream(options, nullptr, made);
    ChatModel::Answer answer = model.answer(
        ids, options, options.stops,
        [&](std::string_view more) { stream.take(more); },
        stream.listener().onToken);
    stream.finish(std::move(answer.completion));
    addCounts(made, ids.size(), answer.reused);
  });
}

tfold_status SessionHandle::chatPrompt(const tfold_text *conversation,
                                       tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    ChatModel &model = chatModel();
    chat::Text prompt =
        model.prompt(parseConversation(textOf(conversation, "conversation"),
                                       "the conversation"),
                     [this] { return isCancelled.load(); });
    made.say(prompt.view());
    made.add("ids", model.tokens(prompt));
  });
}

} // namespace transfold::runtime::inline library
