// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In each step every beam is extended by every token, and the best `beams`
// continuations that do not end become the next beams. Continuations that end
// are set aside with their score Σ log p / tokens^penalty; the search is over
// when no beam can become better than those set aside. These rules, and the
// order of equal scores, are those of Hugging Face's transformers.

#include "runtime/steps/BeamSearch.h"

#include "base/Error.h"
#include "runtime/steps/sampling/LogitsProcessors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transfold::runtime::inline steps {

namespace {

/// A continuation that has not ended, with the sequence that holds its caches.
struct Beam {
  size_t sequence;
  std::vector<int32_t> tokens;
  double sum = 0;     // Σ log p
  bool isCut = false; // the last token was forced
};

/// Beam number `beam`, extended by a token; `sum` includes the token.
struct Candidate {
  size_t beam;
  int32_t token;
  double sum;
};

/// The state of one beam search.
class Search {
public:
  Search(Steps &steps, const GenerationOptions &options,
         std::span<const int32_t> prompt)
      : steps(steps), options(options),
        width(static_cast<size_t>(options.beams)), prompt(prompt),
        promptLength(static_cast<int64_t>(prompt.size())) {}

  /// Runs the search; returns the continuations that have ended, the best
  /// first.
  std::vector<Continuation> run(size_t sequence) {
    readPrompt(sequence);
    beams.push_back({sequence, {}, 0});
    for (int64_t count = 1;; ++count) {
      throwIfCancelled(options.isCancelled);
      extend();
      // At most one token more than fits: the last token does not have to be
      // run.
      bool isLast =
          count == options.most || promptLength + count > steps.capacity();
      setAside(count, isLast);
      if (isLast || isDone(count))
        break;
      continueBeams();
    }
    for (const Beam &beam : beams)
      steps.drop(beam.sequence);
    return std::move(ended);
  }

private:
  /// Computes the prompt, with logits for its last token.
  void readPrompt(size_t sequence) {
    std::span<const int32_t> rest = prompt;
    while (steps.runPart(sequence, rest, options.chunk))
      throwIfCancelled(options.isCancelled);
    Steps::Chunk last{sequence, rest};
    steps.run(std::span(&last, 1));
  }

  bool isEnd(int32_t token) const {
    return std::ranges::find(options.ends, token) != options.ends.end();
  }

  /// The score of a continuation, always finite: the sum is 0 for tokens that
  /// are certain, and the power may be 0 or ∞ in double precision.
  double score(double sum, int64_t tokens) const {
    if (sum == 0)
      return 0;
    double quotient =
        sum / std::pow(static_cast<double>(tokens), options.lengthPenalty);
    return std::clamp(quotient, std::numeric_limits<double>::lowest(),
                      std::numeric_limits<double>::max());
  }

  /// Computes the log probabilities of the tokens that may follow beam `i`,
  /// with the repetition penalty and suppressed tokens applied; as in
  /// transformers, they are not normalized again afterwards.
  void scoreTokens(size_t i) {
    const std::vector<int32_t> &made = beams[i].tokens;
    std::span<const float> logits = steps.logits(i);
    checkLogits(logits, prompt.size() + made.size());
    logSoftmax(logits, probabilities);
    scores = probabilities;
    tokens.assign(prompt.begin(), prompt.end());
    tokens.insert(tokens.end(), made.begin(), made.end());
    beams[i].isCut =
        processScores<double>(scores, {options.sampling, probabilities, tokens,
                                       prompt.size(), options.most});
  }

  /// Finds the best continuations by one token: twice as many as there are
  /// beams, so that enough are left if some end.
  void extend() {
    candidates.clear();
    for (size_t i = 0; i < beams.size(); ++i) {
      scoreTokens(i);
      for (size_t token = 0; token < scores.size(); ++token)
        if (scores[token] != -INFINITY)
          candidates.push_back(
              {i, static_cast<int32_t>(token), beams[i].sum + scores[token]});
    }
    if (candidates.empty() && ended.empty())
      fail("every token is suppressed, or has no probability");
    // With k end tokens a beam may have k continuations that end: (1 + k) ·
    // beams candidates contain at least `beams` that go on.
    size_t kept = std::max<size_t>(2, 1 + options.ends.size()) * width;
    kept = std::min(kept, candidates.size());
    std::ranges::partial_sort(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(kept),
        [](const Candidate &a, const Candidate &b) {
          return a.sum != b.sum
                     ? a.sum > b.sum
                     : std::pair(a.beam, a.token) < std::pair(b.beam, b.token);
        });
    candidates.resize(kept);
  }

  /// Moves those of the best candidates that end to `ended`; in the last step,
  /// all of them.
  void setAside(int64_t count, bool isLast) {
    size_t best = std::min(width, candidates.size());
    bool isFull = options.earlyStopping && ended.size() == width;
    for (size_t i = 0; i < best && !isFull && canImprove; ++i) {
      const Candidate &candidate = candidates[i];
      if (!isLast && !isEnd(candidate.token))
        continue;
      const Beam &beam = beams[candidate.beam];
      Continuation next{beam.tokens, score(candidate.sum, count), beam.isCut};
      next.tokens.push_back(candidate.token);
      ended.insert(std::ranges::upper_bound(ended, next.score, std::greater(),
                                            &Continuation::score),
                   std::move(next));
    }
    if (ended.size() > width)
      ended.resize(width);
  }

  /// Whether no beam can become better than the worst of `ended`.
  bool isDone(int64_t count) {
    std::erase_if(candidates, [&](const Candidate &candidate) {
      return isEnd(candidate.token);
    });
    if (candidates.size() > width)
      candidates.resize(width);
    if (candidates.empty())
      return true;
    if (ended.size() < width)
      return false;
    if (options.earlyStopping)
      return true;
    canImprove =
        canImprove && score(candidates.front().sum, count) > ended.back().score;
    return !canImprove;
  }

  /// Makes the candidates the next beams. The first continuation of a beam
  /// reuses its memory; each further continuation uses the memory of a beam
  /// that has no continuation, after the rows that differ have been copied.
  void continueBeams() {
    std::vector<Beam> next(candidates.size());
    std::vector<bool> continued(beams.size(), false);
    for (size_t i = 0; i < next.size(); ++i) {
      const Candidate &candidate = candidates[i];
      const Beam &beam = beams[candidate.beam];
      next[i] = {beam.sequence, beam.tokens, candidate.sum};
      next[i].tokens.push_back(candidate.token);
    }
    std::vector<size_t> copies;
    for (size_t i = 0; i < next.size(); ++i) {
      if (continued[candidates[i].beam])
        copies.push_back(i);
      continued[candidates[i].beam] = true;
    }
    size_t free = 0;
    for (size_t i : copies) {
      while (free < beams.size() && continued[free])
        ++free;
      int64_t shared = 0;
      if (free < beams.size()) {
        shared = promptLength + common(beams[free].tokens, next[i].tokens);
        next[i].sequence = beams[free++].sequence;
      } else {
        next[i].sequence = steps.add();
      }
      steps.copy(beams[candidates[i].beam].sequence, next[i].sequence, shared);
    }
    for (; free < beams.size(); ++free)
      if (!continued[free])
        steps.drop(beams[free].sequence);
    beams = std::move(next);
    chunks.clear();
    for (Beam &beam : beams)
      chunks.push_back({beam.sequence, std::span(&beam.tokens.back(), 1)});
    steps.run(chunks);
  }

  /// Length of the common prefix.
  static int64_t common(const std::vector<int32_t> &a,
                        const std::vector<int32_t> &b) {
    return std::ranges::mismatch(a, b).in1 - a.begin();
  }

  Steps &steps;
  const GenerationOptions &options;
  const size_t width; // number of beams
  std::span<const int32_t> prompt;
  int64_t promptLength;
  std::vector<Beam> beams;
  std::vector<Candidate> candidates;
  std::vector<Continuation> ended;
  std::vector<Steps::Chunk> chunks;
  std::vector<int32_t> tokens;
  std::vector<double> probabilities,
      scores; // of the tokens that may follow a beam
  bool canImprove = true;
};

} // namespace

std::vector<Continuation> beamSearch(Steps &steps, size_t sequence,
                                     std::span<const int32_t> prompt,
                                     const GenerationOptions &options) {
  return Search(steps, options, prompt).run(sequence);
}

} // namespace transfold::runtime::inline steps
