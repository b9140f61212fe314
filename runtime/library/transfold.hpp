// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold.h for C++17: handles that free themselves, exceptions, containers.
// A header alone; what it says of threads and lifetimes holds here, too.
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
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tfold {

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

template <auto free> struct Free {
  template <typename Handle> void operator()(Handle *handle) const {
    free(handle);
  }
};

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
    static_assert(std::is_same_v<Number, bool>, "no type of an array");
    return TFOLD_BOOL;
  }
}

inline tfold_text textOf(std::string_view text) {
  return {text.data(), text.size()};
}

} // namespace detail

/// An array of a result, which must live as long.
class Array {
public:
  explicit Array(const tfold_array &array) : array(array) {}

  std::string name() const { return array.name; }
  tfold_type type() const { return array.type; }
  std::vector<int64_t> shape() const {
    return {array.shape, array.shape + array.rank};
  }
  size_t size() const {
    size_t count = 1;
    for (int32_t axis = 0; axis < array.rank; ++axis)
      count *= static_cast<size_t>(array.shape[axis]);
    return count;
  }
  /// Row-major. Throws Error where the numbers are of another type.
  template <typename Number> const Number *data() const {
    if (array.type != detail::typeOf<Number>())
      throw Error(TFOLD_ERROR_ARGUMENT,
                  name() + ": the numbers are of another type");
    return static_cast<const Number *>(array.data);
  }
  template <typename Number> std::vector<Number> values() const {
    const Number *first = data<Number>();
    return {first, first + size()};
  }

private:
  tfold_array array;
};

class Result {
public:
  explicit Result(tfold_result *result) : handle(result) {}

  size_t count() const { return tfold_result_count(handle.get()); }
  /// Throws Error where there is none.
  Array operator[](const std::string &name) const {
    tfold_array array;
    if (tfold_result_find(handle.get(), name.c_str(), &array) != TFOLD_OK)
      throw Error(TFOLD_ERROR_ARGUMENT, "the result has no " + name);
    return Array(array);
  }
  Array at(size_t index) const {
    tfold_array array;
    if (tfold_result_array(handle.get(), index, &array) != TFOLD_OK)
      throw Error(TFOLD_ERROR_ARGUMENT, "the result has fewer arrays");
    return Array(array);
  }
  bool has(const std::string &name) const {
    tfold_array array;
    return tfold_result_find(handle.get(), name.c_str(), &array) == TFOLD_OK;
  }
  /// Empty where there is none.
  std::string text() const {
    size_t size = 0;
    const char *text = tfold_result_text(handle.get(), &size);
    return text ? std::string(text, size) : std::string();
  }
  tfold_end end() const { return tfold_result_end(handle.get()); }
  bool isCancelled() const { return end() == TFOLD_END_CANCELLED; }

private:
  std::unique_ptr<tfold_result, detail::Free<tfold_result_free>> handle;
};

struct OpenOptions {
  std::string weights; // empty: beside the library
  int threads = 0;     // 0: as many as there are processors
};

class Program {
public:
  /// Throws Error.
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
  int64_t number(tfold_property property) const {
    return tfold_number(get(), property);
  }
  std::vector<std::string> tasks() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tfold_task_count(get()); ++i)
      all.emplace_back(tfold_task(get(), i));
    return all;
  }
  std::vector<std::string> labels(const std::string &task) const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tfold_label_count(get(), task.c_str()); ++i)
      all.emplace_back(tfold_label(get(), task.c_str(), i));
    return all;
  }
  std::string metadata() const { return tfold_metadata(get()); }

  const tfold_program *get() const { return handle.get(); }

private:
  std::unique_ptr<tfold_program, detail::Free<tfold_close>> handle;
};

/// What is new, and the tokens that it came with. False ends the request.
using Stream = std::function<bool(std::string_view text, const int32_t *tokens,
                                  size_t tokenCount)>;

/// As tfold_generate_options has it.
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
  Stream stream;
};

/// For one thread at a time. Its program must live as long. Requests throw
/// Error; one that is cancelled gives what was made, or throws Error with
/// TFOLD_CANCELLED where nothing was.
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

  /// From any thread.
  void cancel() { tfold_cancel(get()); }

  Result tokenize(const Texts &texts) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_tokenize(get(), first, count, result);
    });
  }
  std::string detokenize(const std::vector<int32_t> &ids,
                         bool withSpecial = false) {
    return request([&](tfold_result **result) {
             return tfold_detokenize(get(), ids.data(), ids.size(), withSpecial,
                                     result);
           })
        .text();
  }
  Result embed(const Texts &texts) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_embed(get(), first, count, result);
    });
  }
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
  Result classify(const Texts &texts, size_t top = 0) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_classify(get(), first, count, top, result);
    });
  }
  Result tag(const Texts &texts, size_t top = 1) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_tag(get(), first, count, top, result);
    });
  }
  Result fill(const Texts &texts, size_t top = 5) {
    return onTexts(texts, [&](auto *first, size_t count, auto **result) {
      return tfold_fill(get(), first, count, top, result);
    });
  }
  /// An empty entry: all that have their arguments.
  Result run(const std::string &entry, const std::vector<tfold_array> &inputs) {
    return request([&](tfold_result **result) {
      return tfold_run(get(), entry.empty() ? nullptr : entry.c_str(),
                       inputs.data(), inputs.size(), result);
    });
  }
  Result generate(std::string_view text, const GenerateOptions &options = {}) {
    tfold_text given = detail::textOf(text);
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate(get(), &given, asked, result);
    });
  }
  Result generateIds(const std::vector<int32_t> &ids,
                     const GenerateOptions &options = {}) {
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate_ids(get(), ids.data(), ids.size(), asked, result);
    });
  }
  Result generateArray(const tfold_array &features,
                       const GenerateOptions &options = {}) {
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_generate_array(get(), &features, asked, result);
    });
  }
  /// JSON: a list of messages, or an object with "messages".
  Result chat(std::string_view conversation,
              const GenerateOptions &options = {}) {
    tfold_text given = detail::textOf(conversation);
    return streamed(options, [&](const auto *asked, tfold_result **result) {
      return tfold_chat(get(), &given, asked, result);
    });
  }
  Result chatPrompt(std::string_view conversation) {
    tfold_text given = detail::textOf(conversation);
    return request([&](tfold_result **result) {
      return tfold_chat_prompt(get(), &given, result);
    });
  }

  /// Samples of one channel, `rate` a second; 0: as the model hears. Gives
  /// JSON.
  Result transcribe(const std::vector<float> &samples, int64_t rate = 0,
                    const tfold_transcribe_options *options = nullptr) {
    return request([&](tfold_result **result) {
      return tfold_transcribe(get(), samples.data(), samples.size(), rate,
                              options, result);
    });
  }
  /// The same of a WAV file.
  Result transcribeFile(const std::string &path,
                        const tfold_transcribe_options *options = nullptr) {
    return request([&](tfold_result **result) {
      return tfold_transcribe_file(get(), path.c_str(), options, result);
    });
  }

  tfold_session *get() const { return handle.get(); }

private:
  std::unique_ptr<tfold_session, detail::Free<tfold_session_free>> handle;

  void check(tfold_status status, const tfold_result *made) const {
    // The text of a session that is busy belongs to the other request.
    if (!made)
      throw Error(status, status == TFOLD_ERROR_BUSY ? "" : tfold_error(get()));
  }
  template <typename Work> Result request(Work work) {
    tfold_result *made = nullptr;
    tfold_status status = work(&made);
    Result result(made);
    check(status, made);
    return result;
  }
  template <typename Work> Result onTexts(const Texts &texts, Work work) {
    std::vector<tfold_text> given;
    for (const std::string &text : texts)
      given.push_back(detail::textOf(text));
    return request([&](tfold_result **result) {
      return work(given.data(), given.size(), result);
    });
  }

  /// What a stream throws goes around the library, which is C.
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
