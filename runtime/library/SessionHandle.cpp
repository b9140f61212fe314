// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests for texts and arrays: each checks its arguments, runs the task of
// the program, and lays the results out as arrays.

#include "runtime/library/SessionHandle.h"

#include "runtime/kernels/KernelError.h"
#include "runtime/library/Describe.h"
#include "runtime/tasks/eval/Evaluation.h"
#include "runtime/tasks/generate/Conversation.h"

#include <algorithm>

namespace transfold::runtime::inline library {

//===----------------------------------------------------------------------===//
// Functions common to all requests
//===----------------------------------------------------------------------===//

tfold_status
SessionHandle::serve(tfold_result **result,
                     const std::function<void(ResultHandle &)> &work) noexcept {
  if (result)
    *result = nullptr;
  // A call made while a request runs must not change that request's state.
  if (isBusy.exchange(true))
    return TFOLD_ERROR_BUSY;
  isCancelled = false;
  problem.clear();
  tfold_status status = TFOLD_OK;
  try {
    if (!result)
      failWith(TFOLD_ERROR_ARGUMENT, "result is null");
    try {
      program.checkWeights();
    } catch (const Error &error) {
      failWith(TFOLD_ERROR_FILE, "{}", error.what());
    }
    auto made = std::make_unique<ResultHandle>();
    work(*made);
    if (made->end() == TFOLD_END_CANCELLED)
      status = TFOLD_CANCELLED;
    *result = made.release();
  } catch (...) {
    status = describeException(problem, TFOLD_ERROR_ARGUMENT);
    // The cached objects may be in an inconsistent state.
    kept = Kept();
  }
  isBusy = false;
  return status;
}

namespace {

/// Calls `work` for text `index`; the message of an exception gets that index.
template <typename Work> auto withText(size_t index, Work work) {
  try {
    return work();
  } catch (const OutOfMemory &) {
    throw;
  } catch (const ComputeError &error) {
    throw ComputeError(fmt::format("text {}: {}", index, error.what()));
  } catch (const Failure &failure) {
    throw Failure(failure.status(),
                  fmt::format("text {}: {}", index, failure.what()));
  } catch (const Error &error) {
    throw Error(fmt::format("text {}: {}", index, error.what()));
  }
}

/// One of the caller's texts, checked.
std::string_view textAt(std::span<const tfold_text> texts, size_t index) {
  return textOf(texts[index], "it");
}

/// Number of columns of a result with the `top` most likely of `all`; 0 stands
/// for all.
size_t columnsOf(size_t top, size_t all) {
  return top ? std::min(top, all) : all;
}

int64_t signedOf(size_t count) { return static_cast<int64_t>(count); }

/// The most likely classes of texts or tokens, row by row.
struct Likeliest {
  std::vector<int32_t> classes;
  std::vector<double> scores;

  void add(const std::vector<Label> &row) {
    for (const Label &label : row) {
      classes.push_back(static_cast<int32_t>(label.number));
      scores.push_back(label.score);
    }
  }
  void addTo(ResultHandle &result, const ResultHandle::Shape &shape) {
    result.add("class", shape, std::move(classes));
    result.add("score", shape, std::move(scores));
  }
};

} // namespace

void SessionHandle::needTask(const char *kind) const {
  if (program.metadata().task(kind))
    return;
  std::vector<std::string> tasks;
  for (const Task &task : program.metadata().tasks)
    tasks.push_back(task.kind);
  failWith(TFOLD_ERROR_UNSUPPORTED, "the model has no task '{}'; it has: {}",
           kind, fmt::join(tasks, ", "));
}

void SessionHandle::needTokenizer() const {
  if (program.tokenizerTables().empty())
    failWith(TFOLD_ERROR_UNSUPPORTED,
             "the model has no tokenizer, or one that is not supported; give "
             "ids");
}

const Tokenizer &SessionHandle::tokenizer() {
  needTokenizer();
  return madeOnce(kept.tokenizer, program.tokenizerTables());
}

void SessionHandle::checkCancelled() const {
  if (isCancelled)
    throw Cancelled("cancelled");
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::span<const tfold_text> SessionHandle::textsFor(const char *kind,
                                                    const tfold_text *texts,
                                                    size_t count) const {
  needTask(kind);
  auto all = listOf(texts, count, "texts");
  needTokenizer();
  return all;
}

template <typename Run, typename Take>
void SessionHandle::forEachText(std::span<const tfold_text> texts, Run run,
                                Take take) const {
  for (size_t i = 0; i < texts.size(); ++i) {
    checkCancelled();
    take(withText(i, [&] { return run(textAt(texts, i)); }));
  }
}

tfold_status SessionHandle::tokenize(const tfold_text *texts, size_t count,
                                     tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = listOf(texts, count, "texts");
    const Tokenizer &encoder = tokenizer();
    std::vector<int32_t> ids, types, special;
    std::vector<int64_t> offsets = {0}, begins, ends;
    auto encode = [&](std::string_view text) { return encoder.encode(text); };
    forEachText(all, encode, [&](const Encoding &encoding) {
      ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
      types.insert(types.end(), encoding.types.begin(), encoding.types.end());
      for (size_t k = 0; k < encoding.ids.size(); ++k) {
        begins.push_back(encoding.tokens[k].begin);
        ends.push_back(encoding.tokens[k].end);
        special.push_back(encoding.texts[k] < 0);
      }
      offsets.push_back(signedOf(ids.size()));
    });
    made.add("offsets", std::move(offsets));
    made.add("ids", std::move(ids));
    made.add("types", std::move(types));
    made.add("begin", std::move(begins));
    made.add("end", std::move(ends));
    made.add("special", std::move(special));
  });
}

tfold_status SessionHandle::detokenize(const int32_t *ids, size_t count,
                                       bool withSpecial,
                                       tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = listOf(ids, count, "ids");
    for (int32_t id : all)
      if (!tokenizer().token(id))
        failWith(TFOLD_ERROR_ARGUMENT, "the tokenizer has no token {}", id);
    made.say(tokenizer().decode(all, withSpecial));
  });
}

void SessionHandle::embedAll(Embedder &embedder, size_t count,
                             const std::function<Encoding(size_t)> &encode,
                             ResultHandle &result) {
  std::vector<float> numbers;
  std::vector<int64_t> tokens, cut;
  auto finish = [&] {
    checkCancelled();
    for (const Embedded &each : embedder.embed()) {
      numbers.insert(numbers.end(), each.vector.begin(), each.vector.end());
      tokens.push_back(signedOf(each.encoding.ids.size()));
      cut.push_back(signedOf(each.encoding.cut));
    }
  };
  for (size_t i = 0; i < count; ++i) {
    embedder.add(withText(i, [&] { return encode(i); }));
    if (embedder.isFull())
      finish();
  }
  finish();
  result.add("embedding", {signedOf(count), dimensions(program.metadata())},
             std::move(numbers));
  result.add("tokens", std::move(tokens));
  result.add("cut", std::move(cut));
}

tfold_status SessionHandle::embed(const tfold_text *texts, size_t count,
                                  tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = textsFor("embed", texts, count);
    Embedder &embedder = madeOnce(kept.embedder, session);
    embedAll(
        embedder, count,
        [&](size_t i) { return embedder.texts().encode(textAt(all, i)); },
        made);
  });
}

tfold_status SessionHandle::embedIds(const int32_t *ids, const int64_t *lengths,
                                     size_t count, tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    needTask("embed");
    size_t total = 0;
    for (int64_t length : listOf(lengths, count, "lengths"))
      if (length < 1 ||
          __builtin_add_overflow(total, static_cast<size_t>(length), &total))
        failWith(TFOLD_ERROR_ARGUMENT, "a sequence cannot have {} tokens",
                 length);
    auto all = listOf(ids, total, "ids");
    Embedder &embedder =
        madeOnce(kept.idEmbedder, session, TextCall::Given::Ids);
    size_t next = 0;
    embedAll(
        embedder, count,
        [&](size_t i) {
          auto own = static_cast<size_t>(lengths[i]);
          next += own;
          return embedder.texts().encode(all.subspan(next - own, own));
        },
        made);
  });
}

tfold_status SessionHandle::classify(const tfold_text *texts, size_t count,
                                     size_t top, tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = textsFor("classify", texts, count);
    Classifier &classifier = madeOnce(kept.classifier, session);
    size_t columns = columnsOf(top, classifier.labels().all().size());
    Likeliest argmax;
    auto run = [&](std::string_view text) {
      return classifier.run(text, columns);
    };
    forEachText(all, run, [&](const Classifier::Classified &found) {
      argmax.add(found.labels);
    });
    argmax.addTo(made, {signedOf(count), signedOf(columns)});
  });
}

tfold_status SessionHandle::rerank(const tfold_text *query,
                                   const tfold_text *documents, size_t count,
                                   tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    needTask("classify");
    const std::string asked(textOf(query, "the query"));
    std::vector<std::string> texts;
    for (const tfold_text &document : listOf(documents, count, "documents"))
      texts.emplace_back(
          textOf(document, fmt::format("document {}", texts.size())));
    needTokenizer();
    Reranker &reranker = madeOnce(kept.reranker, session);
    std::vector<double> scores;
    std::vector<int64_t> cuts;
    for (auto [score, cut] :
         reranker.score(asked, texts, /*first=*/0, [&] { checkCancelled(); })) {
      scores.push_back(score);
      cuts.push_back(signedOf(cut));
    }
    made.add("score", std::move(scores));
    made.add("cut", std::move(cuts));
  });
}

tfold_status SessionHandle::tag(const tfold_text *texts, size_t count,
                                size_t top, tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = textsFor("tag", texts, count);
    Tagger &tagger = madeOnce(kept.tagger, session);
    size_t columns = columnsOf(top, tagger.labels().all().size());
    std::vector<int32_t> ids;
    std::vector<int64_t> offsets = {0}, begins, ends;
    Likeliest argmax;
    auto run = [&](std::string_view text) { return tagger.run(text, columns); };
    forEachText(all, run, [&](const Tagger::TaggedText &found) {
      for (const Tagger::Tagged &each : found.tokens) {
        ids.push_back(each.token.id);
        begins.push_back(each.token.begin);
        ends.push_back(each.token.end);
        argmax.add(each.labels);
      }
      offsets.push_back(signedOf(ids.size()));
    });
    ResultHandle::Shape shape = {signedOf(ids.size()), signedOf(columns)};
    made.add("offsets", std::move(offsets));
    made.add("ids", std::move(ids));
    made.add("begin", std::move(begins));
    made.add("end", std::move(ends));
    argmax.addTo(made, shape);
  });
}

tfold_status SessionHandle::fill(const tfold_text *texts, size_t count,
                                 size_t top, tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    auto all = textsFor("fill", texts, count);
    Filler &filler = madeOnce(kept.filler, session);
    size_t columns = columnsOf(top, filler.choices());
    std::vector<int32_t> ids;
    std::vector<int64_t> offsets = {0}, places;
    std::vector<double> scores;
    auto run = [&](std::string_view text) { return filler.run(text, columns); };
    forEachText(all, run, [&](const Filler::Filled &found) {
      for (const Filler::Mask &mask : found.masks) {
        places.push_back(signedOf(mask.place));
        for (const Filling &filling : mask.fillings) {
          ids.push_back(filling.id);
          scores.push_back(filling.probability);
        }
      }
      offsets.push_back(signedOf(places.size()));
    });
    ResultHandle::Shape shape = {signedOf(places.size()), signedOf(columns)};
    made.add("offsets", std::move(offsets));
    made.add("place", std::move(places));
    made.add("ids", shape, std::move(ids));
    made.add("score", shape, std::move(scores));
  });
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

tfold_status SessionHandle::run(const char *entry, const tfold_array *inputs,
                                size_t count, tfold_result **result) {
  return serve(result, [&](ResultHandle &made) {
    std::vector<EvalInputs::Named> named;
    for (const tfold_array &array : listOf(inputs, count, "inputs"))
      named.emplace_back(array.name ? array.name : "", arrayOf(array));
    EvalInputs read(program.metadata(), std::move(named));
    Evaluation evaluation(session, read, entry ? entry : "");
    evaluation.run();
    for (auto &[name, output] : evaluation.results())
      made.add(name, std::move(output.shape), std::move(output.values));
  });
}

} // namespace transfold::runtime::inline library
