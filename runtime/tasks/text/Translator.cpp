// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the tokens of languages as the model expects them (Languages.h), and
// decodes all texts together, or one after another with beam search.

#include "runtime/tasks/text/Translator.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/tasks/text/TextCall.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

/// The tables of the tokenizer. Throws Error if the program has none.
static std::string_view tablesOf(const LoadedProgram &program) {
  checkTokenizer(program, "`generate --ids` takes ids");
  program.weights(); // the system reads them while the tokenizer is created
  return program.tokenizerTables();
}

Translator::Translator(Session &session, TranslationOptions given)
    : options(std::move(given)), generator(session),
      languages(generator.task()), tokenizer(tablesOf(session.program())) {
  const Entry *encoder = generator.encoder();
  if (!encoder || !encoder->arguments.at(0).integer)
    fail("task '{}' has no encoder that reads texts", generator.task().kind);
  if (encoder->limits.at(0))
    limit = static_cast<size_t>(*encoder->limits[0]);
  auto most = generator.task().options.find("max_tokens");
  if (most != generator.task().options.end() && most->is_number_unsigned())
    limit = std::min(limit, most->get<size_t>());
  if (generator.start(options).empty())
    fail("the model does not define what a translation begins with; use "
         "`generate --start ID`");
  chooseLanguages();
}

void Translator::chooseLanguages() {
  if (languages.empty() && !(options.from.empty() && options.to.empty()))
    fail("--{}: this model translates from one language to one other, and has "
         "no tokens for others; leave it out",
         options.to.empty() ? "from" : "to");
  if (!options.from.empty()) {
    if (!languages.marksSource())
      fail("--from: this model does not mark the source language by a token; "
           "leave it out");
    sourceToken = languages.token(options.from);
  }
  if (!options.to.empty()) {
    int32_t token = languages.token(options.to);
    if (languages.marksTargetInSource())
      sourceToken = token;
    else
      options.first = {token};
  } else if (!languages.empty() && !languages.marksTargetInSource() &&
             generator.task().rules.first.empty()) {
    fail("this model writes several languages; give one of them with --to "
         "CODE: {}",
         languages.some());
  }
}

std::vector<int32_t> Translator::sourceOf(const std::string &text) const {
  Encoding encoding = tokenizer.encode(text);
  if (std::ranges::none_of(encoding.texts, [](int8_t in) { return in >= 0; }))
    return {};
  std::vector<int32_t> ids = std::move(encoding.ids);
  // The tokenizer may have added the token of a language.
  auto marked = std::ranges::find_if(
      ids, [&](int32_t id) { return languages.isLanguage(id); });
  bool isMarked =
      marked != ids.end() &&
      (marked == ids.begin() ||
       encoding.texts[static_cast<size_t>(marked - ids.begin())] < 0);
  if (sourceToken && isMarked)
    *marked = *sourceToken;
  else if (sourceToken)
    ids.insert(ids.begin(), *sourceToken);
  else if (languages.marksTargetInSource() && !languages.empty() && !isMarked)
    fail("this model writes several languages; choose one with --to CODE, or "
         "begin the text with its token: {}",
         languages.some());
  if (ids.size() > limit)
    fail("has {} tokens, but the model reads {}: give it in shorter parts",
         ids.size(), limit);
  checkTokens(ids, generator.encoder()->arguments.at(0).bound,
              "the ids of the tokenizer");
  return ids;
}

/// Without spaces at the ends, which occur around the text of the unknown
/// token.
static std::string stripped(const std::string &text) {
  size_t begin = text.find_first_not_of(' ');
  return begin == text.npos
             ? ""
             : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Translation Translator::translationOf(Continuation made) const {
  std::vector<int32_t> ends = generator.ends(options);
  auto isEnd = [&](int32_t id) {
    return std::ranges::find(ends, id) != ends.end();
  };
  Translation result;
  result.hasEnd =
      !made.tokens.empty() && isEnd(made.tokens.back()) && !made.isCut;
  result.ids = std::move(made.tokens);
  result.score = made.score;
  std::vector<int32_t> text;
  for (int32_t id : result.ids)
    if (!isEnd(id) && !languages.isLanguage(id))
      text.push_back(id);
  result.text = stripped(tokenizer.decode(text));
  return result;
}

std::vector<Translation>
Translator::translate(std::span<const std::vector<int32_t>> sources) {
  std::vector<Request> requests;
  for (const std::vector<int32_t> &source : sources)
    requests.push_back({source});
  std::vector<int32_t> start = generator.start(options);
  Steps &steps = generator.makeSteps(
      static_cast<int64_t>(start.size()) + options.most, requests);
  std::vector<Translation> results;
  if (options.beams > 1) {
    const GenerationOptions beams = generator.withModel(options);
    for (const Request &request : requests) {
      size_t sequence = generator.begin(request);
      results.push_back(translationOf(
          std::move(beamSearch(steps, sequence, start, beams).at(0))));
    }
    return results;
  }
  std::vector<Generated> sequences;
  for (const Request &request : requests)
    sequences.push_back(
        {generator.begin(request), start, start.size(), {}, false});
  generator.run(sequences, options, [](Generated &) { return true; });
  for (const Generated &each : sequences)
    results.push_back(
        translationOf({.tokens = {each.tokens.begin() +
                                      static_cast<std::ptrdiff_t>(each.prompt),
                                  each.tokens.end()},
                       .score = 0,
                       .isCut = each.isCut}));
  return results;
}

} // namespace transfold::runtime::inline tasks
