// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold.h for C++17: RAII handles, exceptions, containers. Header-only; the
// rules of transfold.h on threads and lifetimes apply here as well.
//
//   tfold::Program program(minilm_model());
//   tfold::Session session(program);
//   tfold::Result result = session.embed({"A cat sat."});
//   std::vector<float> numbers = result["embedding"].values<float>();

#ifndef TRANSFOLD_HPP
#define TRANSFOLD_HPP

#include "transfold.h"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tfold {

/// Thrown by all functions that fail; what() is the message of the library.
class Error : public std::runtime_error {
public:
  Error(tfold_status status, const std::string &text)
      : std::runtime_error(text.empty() ? tfold_status_text(status) : text),
        kind(status) {}
  tfold_status status() const { return kind; }

private:
  tfold_status kind;
};

namespace detail {

/// Deleter that calls a function of transfold.h.
template <auto free> struct Free {
  template <typename Handle> void operator()(Handle *handle) const {
    free(handle);
  }
};

/// The tfold_type of elements of type Number.
template <typename Number> constexpr tfold_type typeOf() {
  if constexpr (std::is_same_v<Number, float>)
    return TFOLD_FLOAT32;
  else if constexpr (std::is_same_v<Number, double>)
    return TFOLD_FLOAT64;
  else if constexpr (std::is_same_v<Number, int32_t>)
    return TFOLD_INT32;
  else if constexpr (std::is_same_v<Number, int64_t>)
    return TFOLD_INT64;
  else if constexpr (std::is_same_v<Number, uint8_t>)
    return TFOLD_UINT8;
  else {
    static_assert(std::is_same_v<Number, bool>, "not the type of an array");
    return TFOLD_BOOL;
  }
}

/// A view of a text in the form of transfold.h.
inline tfold_text textOf(std::string_view text) {
  return {text.data(), text.size()};
}

} // namespace detail

/// An array of a result. The result must outlive it.
class Array {
public:
  explicit Array(const tfold_array &array) : array(array) {}

  std::string name() const { return array.name; }
  tfold_type type() const { return array.type; }
  std::vector<int64_t> shape() const {
    return {array.shape, array.shape + array.rank};
  }
  /// Number of elements.
  size_t size() const {
    size_t count = 1;
    for (int32_t axis = 0; axis < array.rank; ++axis)
      count *= static_cast<size_t>(array.shape[axis]);
    return count;
  }
  /// Row-major elements. Throws Error if the elements have another type than
  /// Number.
  template <typename Number> const Number *data() const {
    if (array.type != detail::typeOf<Number>())
      throw Error(TFOLD_ERROR_ARGUMENT,
                  name() + ": the elements have another type");
    return static_cast<const Number *>(array.data);
  }
  /// A copy of the elements. Throws Error if they have another type than
  /// Number.
  template <typename Number> std::vector<Number> values() const {
    const Number *first = data<Number>();
    return {first, first + size()};
  }

private:
  tfold_array array;
};

/// The result of a request: named arrays, and optionally a text.
class Result {
public:
  explicit Result(tfold_result *result) : handle(result) {}

  /// Number of arrays.
  size_t count() const { return tfold_result_count(handle.get()); }
  /// The array of that name. Throws Error if there is none.
  Array operator[](const std::string &name) const {
    tfold_array array;
    if (tfold_result_find(handle.get(), name.c_str(), &array) != TFOLD_OK)
      throw Error(TFOLD_ERROR_ARGUMENT, "the result has no " + name);
    return Array(array);
  }
  /// The array of that index. Throws Error if there are fewer arrays.
  Array at(size_t index) const {
    tfold_array array;
    if (tfold_result_array(handle.get(), index, &array) != TFOLD_OK)
      throw Error(TFOLD_ERROR_ARGUMENT, "the result has fewer arrays");
    return Array(array);
  }
  /// Whether there is an array of that name.
  bool has(const std::string &name) const {
    tfold_array array;
    return tfold_result_find(handle.get(), name.c_str(), &array) == TFOLD_OK;
  }
  /// The text of the result; empty if it has none.
  std::string text() const {
    size_t size = 0;
    const char *text = tfold_result_text(handle.get(), &size);
    return text ? std::string(text, size) : std::string();
  }
  /// Why the generation of tokens ended.
  tfold_end end() const { return tfold_result_end(handle.get()); }
  bool isCancelled() const { return end() == TFOLD_END_CANCELLED; }

private:
  std::unique_ptr<tfold_result, detail::Free<tfold_result_free>> handle;
};

/// Options of opening a program (tfold_open_options).
struct OpenOptions {
  std::string weights; // empty: in the folder of the library
  int threads = 0;     // 0: the number of processors
};

/// An opened model (tfold_program).
class Program {
public:
  /// Opens the model. Throws Error.
  explicit Program(const tfold_model *model, const OpenOptions &options = {}) {
    tfold_open_options given{};
    given.size = sizeof given;
    given.weights = options.weights.empty() ? nullptr : options.weights.c_str();
    given.threads = options.threads;
    tfold_program *opened = nullptr;
    tfold_status status = tfold_open(model, &given, &opened);
    handle.reset(opened);
    if (status != TFOLD_OK)
      throw Error(status, tfold_open_error(opened));
  }

  std::string name() const { return tfold_name(get()); }
  /// The value of a property; -1 if there is no such property.
  int64_t number(tfold_property property) const {
    return tfold_number(get(), property);
  }
  /// Names of the program's tasks.
  std::vector<std::string> tasks() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tfold_task_count(get()); ++i)
      all.emplace_back(tfold_task(get(), i));
    return all;
  }
  /// Names of the classes of the task "classify" or "tag".
  std::vector<std::string> labels(const std::string &task) const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tfold_label_count(get(), task.c_str()); ++i)
      all.emplace_back(tfold_label(get(), task.c_str(), i));
    return all;
  }
  /// All properties of the program as JSON (tfold_metadata).
  std::string metadata() const { return tfold_metadata(get()); }

  /// The handle, for functions of transfold.h; this object keeps owning it.
  const tfold_program *get() const { return handle.get(); }

private:
  std::unique_ptr<tfold_program, detail::Free<tfold_close>> handle;
};

/// Callback for new text and the tokens that came with it. Return false to
/// cancel the request.
using Stream = std::function<bool(std::string_view text, const int32_t *tokens,
                                  size_t tokenCount)>;

/// The options of tfold_generate_options, with the same defaults.
struct GenerateOptions {
  int64_t maxTokens = 0;
  double temperature = 0;
  int64_t topK = 0;
  double topP = 1, minP = 0, repetitionPenalty = 1;
  uint64_t seed = 0;
  std::vector<std::string> stop;
  std::vector<int32_t> endTokens, suppress, start;
  bool ignoreEnd = false, earlyStopping = false, logProbabilities = false;
  int64_t beams = 1;
  double lengthPenalty = 1;
  int64_t chunk = 0;
  /// Numbers of sampling by their names, such as {"presence_penalty", 0.5}.
  std::map<std::string, double> settings;
  Stream stream;
};

/// A session (tfold_session), for one thread at a time. The program must
/// outlive it. Requests throw Error. A cancelled request returns what was
/// generated so far, or throws Error with TFOLD_CANCELLED if there is no
/// result.
///
/// The arrays of the results are those of the functions of transfold.h.
class Session {
public:
  using Texts = std::vector<std::string>;

  explicit Session(const Program &program) {
    tfold_session *made = nullptr;
    tfold_status status = tfold_session_new(program.get(), &made);
    handle.reset(made);
    if (status != TFOLD_OK)
      throw Error(status, "");
  }

  /// Ends the running request before its next step. May be called by any
  /// thread.
  void cancel() { tfold_cancel(get()); }

  /// Splits texts into tokens (tfold_tokenize).
  Result tokenize(const Texts &texts) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_tokenize(get(), first, count, result);
    });
  }
  /// The text of token ids, with special tokens or without.
  std::string detokenize(const std::vector<int32_t> &ids,
                         bool withSpecial = false) {
    return request([&](tfold_result **result) {
             return tfold_detokenize(get(), ids.data(), ids.size(), withSpecial,
                                     result);
           })
        .text();
  }
  /// Embeds texts (tfold_embed).
  Result embed(const Texts &texts) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_embed(get(), first, count, result);
    });
  }
  /// The same for sequences of token ids, special tokens included.
  Result embedIds(const std::vector<std::vector<int32_t>> &sequences) {
    std::vector<int32_t> ids;
    std::vector<int64_t> lengths;
    for (const std::vector<int32_t> &sequence : sequences) {
      ids.insert(ids.end(), sequence.begin(), sequence.end());
      lengths.push_back(static_cast<int64_t>(sequence.size()));
    }
    return request([&](tfold_result **result) {
      return tfold_embed_ids(get(), ids.data(), lengths.data(), lengths.size(),
                             result);
    });
  }
  /// The `top` most likely classes of each text; 0: all (tfold_classify).
  Result classify(const Texts &texts, size_t top = 0) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_classify(get(), first, count, top, result);
    });
  }
  /// The relevance of each document to a query (tfold_rerank).
  Result rerank(const std::string &query, const Texts &documents) {
    const tfold_text asked = {query.data(), query.size()};
    return onTexts(documents, [&](auto *first, size_t count, auto **result) {
      return tfold_rerank(get(), &asked, first, count, result);
    });
  }
  /// The `top` most likely classes of each token; 0: all (tfold_tag).
  Result tag(const Texts &texts, size_t top = 1) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_tag(get(), first, count, top, result);
    });
  }
  /// The `top` most likely tokens for each mask; 0: all (tfold_fill).
  Result fill(const Texts &texts, size_t top = 5) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_fill(get(), first, count, top, result);
    });
  }
  /// Runs an entry; if `entry` is empty, all entries whose arguments are given.
  Result run(const std::string &entry, const std::vector<tfold_array> &inputs) {
    return request([&](tfold_result **result) {
      return tfold_run(get(), entry.empty() ? nullptr : entry.c_str(),
                       inputs.data(), inputs.size(), result);
    });
  }
  /// Generates tokens that continue `text`, or its translation.
  Result generate(std::string_view text, const GenerateOptions &options = {}) {
    tfold_text given = detail::textOf(text);
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate(get(), &given, asked, result);
    });
  }
  /// The same for token ids; needs no tokenizer.
  Result generateIds(const std::vector<int32_t> &ids,
                     const GenerateOptions &options = {}) {
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate_ids(get(), ids.data(), ids.size(), asked, result);
    });
  }
  /// The same for a model whose encoder reads real numbers: an array [1, …].
  Result generateArray(const tfold_array &features,
                       const GenerateOptions &options = {}) {
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate_array(get(), &features, asked, result);
    });
  }
  /// Generates the answer to a conversation, JSON: a list of messages, or an
  /// object with "messages".
  Result chat(std::string_view conversation,
              const GenerateOptions &options = {}) {
    tfold_text given = detail::textOf(conversation);
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_chat(get(), &given, asked, result);
    });
  }
  /// The prompt that chat() gives the model: a text, and its ids.
  Result chatPrompt(std::string_view conversation) {
    tfold_text given = detail::textOf(conversation);
    return request([&](tfold_result **result) {
      return tfold_chat_prompt(get(), &given, result);
    });
  }

  /// Transcribes one channel of `rate` samples per second; 0: at the rate of
  /// the model. The text of the result is JSON.
  Result transcribe(const std::vector<float> &samples, int64_t rate = 0,
                    const tfold_transcribe_options *options = nullptr) {
    return request([&](tfold_result **result) {
      return tfold_transcribe(get(), samples.data(), samples.size(), rate,
                              options, result);
    });
  }
  /// The same for a WAV file.
  Result transcribeFile(const std::string &path,
                        const tfold_transcribe_options *options = nullptr) {
    return request([&](tfold_result **result) {
      return tfold_transcribe_file(get(), path.c_str(), options, result);
    });
  }

  tfold_session *get() const { return handle.get(); }

private:
  std::unique_ptr<tfold_session, detail::Free<tfold_session_free>> handle;

  /// Throws Error if a request returned no result.
  void check(tfold_status status, const tfold_result *made) const {
    // If the session is busy, its error text belongs to the other request.
    if (!made)
      throw Error(status, status == TFOLD_ERROR_BUSY ? "" : tfold_error(get()));
  }
  /// Makes a request; `work` calls the function of transfold.h. Throws Error.
  template <typename Work> Result request(Work work) {
    tfold_result *made = nullptr;
    tfold_status status = work(&made);
    Result result(made);
    check(status, made);
    return result;
  }
  /// The same for requests that take texts; `texts` outlives the call.
  template <typename Work> Result onTexts(const Texts &texts, Work work) {
    std::vector<tfold_text> given;
    for (const std::string &text : texts)
      given.push_back(detail::textOf(text));
    return request([&](tfold_result **result) {
      return work(given.data(), given.size(), result);
    });
  }

  /// An exception of a stream callback must not pass through the library, which
  /// is C: it is kept here and rethrown when the request has returned.
  struct Streaming {
    const Stream &stream;
    std::exception_ptr thrown = nullptr;

    static int32_t call(void *context, const tfold_piece *piece) {
      auto *self = static_cast<Streaming *>(context);
      try {
        return !self->stream({piece->text.data, piece->text.size},
                             piece->tokens, piece->token_count);
      } catch (...) {
        self->thrown = std::current_exception();
        return 1;
      }
    }
  };
  template <typename Work>
  Result streamed(const GenerateOptions &options, Work work) {
    tfold_generate_options asked;
    tfold_generate_options_init(&asked, sizeof asked);
    asked.max_tokens = options.maxTokens;
    asked.temperature = options.temperature;
    asked.top_k = options.topK;
    asked.top_p = options.topP;
    asked.min_p = options.minP;
    asked.repetition_penalty = options.repetitionPenalty;
    asked.seed = options.seed;
    std::vector<tfold_text> stops;
    for (const std::string &stop : options.stop)
      stops.push_back(detail::textOf(stop));
    asked.stop = stops.data();
    asked.stop_count = stops.size();
    asked.end_tokens = options.endTokens.data();
    asked.end_token_count = options.endTokens.size();
    asked.suppress = options.suppress.data();
    asked.suppress_count = options.suppress.size();
    asked.start = options.start.data();
    asked.start_count = options.start.size();
    asked.ignore_end = options.ignoreEnd;
    asked.early_stopping = options.earlyStopping;
    asked.log_probabilities = options.logProbabilities;
    asked.beams = options.beams;
    asked.length_penalty = options.lengthPenalty;
    asked.chunk = options.chunk;
    std::vector<tfold_setting> settings;
    for (const auto &[name, value] : options.settings)
      settings.push_back({name.c_str(), value});
    asked.settings = settings.data();
    asked.setting_count = settings.size();
    Streaming streaming{options.stream};
    if (options.stream) {
      asked.stream = Streaming::call;
      asked.context = &streaming;
    }
    tfold_result *made = nullptr;
    tfold_status status = work(&asked, &made);
    Result result(made);
    if (streaming.thrown)
      std::rethrow_exception(streaming.thrown);
    check(status, made);
    return result;
  }
};

} // namespace tfold

#endif // TRANSFOLD_HPP
