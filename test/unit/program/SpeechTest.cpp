// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timestamp tokens: which may follow, the segments of a window, and how they
// are written. Tokens here: 0 and 1 are text, 2 ends it, 3 to 7 are timestamps.

#include "runtime/program/metadata/Speech.h"
#include "base/Error.h"
#include "runtime/program/metadata/TimeRules.h"
#include "runtime/serve/engine/TranscriptionJob.h"
#include "runtime/tasks/speech/SpeechSegments.h"
#include "runtime/tasks/speech/Transcripts.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold;
using namespace transfold::runtime;

namespace {

constexpr double never = -INFINITY;
using Scores = std::vector<double>;
using Tokens = std::vector<int32_t>;

Scores applied(Tokens made, Scores scores = {0, 0, 0, -9, -9, -9, -9, -9}) {
  TimeRules rules{.first = 3, .latestBegin = 1, .ends = {2}};
  rules.apply(scores, made);
  return scores;
}

TEST(TimeRulesTest, ATextBeginsWithATimeThatIsNotLate) {
  EXPECT_EQ(applied({}),
            (Scores{never, never, never, -9, -9, never, never, never}));
}

TEST(TimeRulesTest, TextFollowsTheFirstTime) {
  EXPECT_EQ(applied({3}), (Scores{0, 0, 0, never, never, never, never, never}));
}

TEST(TimeRulesTest, APieceTakesTime) {
  EXPECT_EQ(applied({4, 0}), (Scores{0, 0, 0, never, never, -9, -9, -9}));
}

TEST(TimeRulesTest, BehindItsEndTheNextBeginsOrNone) {
  EXPECT_EQ(applied({3, 0, 5}),
            (Scores{never, never, 0, never, never, -9, -9, -9}))
      << "not before the end of the last, but at the same time";
}

TEST(TimeRulesTest, TwoTimesAreEnough) {
  EXPECT_EQ(applied({3, 0, 5, 5}),
            (Scores{0, 0, 0, never, never, never, never, never}));
}

TEST(TimeRulesTest, TimesThatAreLikelyTogetherWin) {
  // Each timestamp alone is less likely than the text; three of them together
  // are not.
  EXPECT_EQ(applied({4, 0}, {-1, -9, -9, 0, 0, -1.5, -1.5, -1.5}),
            (Scores{never, never, never, never, never, -1.5, -1.5, -1.5}));
  EXPECT_EQ(applied({4, 0}, {-1, -9, -9, 0, 0, -3, -3, -3}),
            (Scores{-1, -9, -9, never, never, -3, -3, -3}));
}

std::vector<std::tuple<int64_t, int64_t, Tokens>>
piecesOf(const WindowSegments &window) {
  std::vector<std::tuple<int64_t, int64_t, Tokens>> result;
  for (const WindowSegment &each : window.segments)
    result.emplace_back(each.begin, each.end, each.tokens);
  return result;
}
using Pieces = std::vector<std::tuple<int64_t, int64_t, Tokens>>;

TEST(SpeechSegmentsTest, TheNextWindowBeginsBehindTheLastWholePiece) {
  WindowSegments window =
      segmentsOf(Tokens{100, 1, 2, 110, 110, 3, 130, 130, 4}, 100, 1500);
  EXPECT_EQ(piecesOf(window), (Pieces{{0, 10, {1, 2}}, {10, 30, {3}}}));
  EXPECT_EQ(window.next, 30);
}

TEST(SpeechSegmentsTest, ASingleTimeAtTheEndIsTheEndOfSpeech) {
  WindowSegments window =
      segmentsOf(Tokens{100, 1, 110, 112, 3, 130}, 100, 1500);
  EXPECT_EQ(piecesOf(window), (Pieces{{0, 10, {1}}, {12, 30, {3}}}));
  EXPECT_EQ(window.next, 1500);
}

TEST(SpeechSegmentsTest, OnePiece) {
  WindowSegments window = segmentsOf(Tokens{105, 1, 2, 120}, 100, 1500);
  EXPECT_EQ(piecesOf(window), (Pieces{{5, 20, {1, 2}}}));
  EXPECT_EQ(window.next, 1500);
  EXPECT_EQ(piecesOf(segmentsOf(Tokens{105, 1, 2}, 100, 1500)),
            (Pieces{{5, 1500, {1, 2}}}));
  EXPECT_EQ(piecesOf(segmentsOf(Tokens{1, 2}, 100, 1500)),
            (Pieces{{0, 1500, {1, 2}}}));
  EXPECT_EQ(segmentsOf(Tokens{}, 100, 1500).next, 1500);
}

TEST(SpeechSegmentsTest, AWindowAlwaysMovesOn) {
  EXPECT_EQ(segmentsOf(Tokens{100, 100}, 100, 1500).next, 1500);
  EXPECT_EQ(segmentsOf(Tokens{100, 1, 190, 190, 2}, 100, 50).next, 50)
      << "what is left of the recording is shorter than the time";
}

TEST(SpeechTest, OptionsOfTheTask) {
  auto speech = Speech::parse({{"rate", 16000},
                               {"times", 103},
                               {"time_step", 0.02},
                               {"languages", {{"<|en|>", 50}, {"de", 51}}},
                               {"no_speech", nullptr}},
                              200);
  ASSERT_TRUE(speech);
  EXPECT_EQ(speech->times, 103);
  EXPECT_FALSE(speech->noSpeech);
  EXPECT_EQ(speech->languages, (std::vector<std::pair<std::string, int32_t>>{
                                   {"en", 50}, {"de", 51}}));
  EXPECT_FALSE(Speech::parse({{"times", 103}}, 200)) << "nothing is heard";
  EXPECT_FALSE(Speech::parse({{"rate", 16000}, {"times", 103}}, 200)->times)
      << "nobody says what a step is";
  EXPECT_THROW(Speech::parse({{"rate", 0}}, 200), Error);
  EXPECT_THROW(Speech::parse({{"rate", 16000}, {"latest_begin", -2}}, 200),
               Error);
  EXPECT_THROW(Speech::parse({{"rate", 16000}, {"times", 200}}, 200), Error);
  EXPECT_THROW(Speech::parse({{"rate", 16000}, {"times", "x"}}, 200), Error);
}

TEST(TranscriptsTest, Times) {
  EXPECT_EQ(clockTime(0), "00:00:00.000");
  EXPECT_EQ(clockTime(3723.0456, ','), "01:02:03,046");
  EXPECT_EQ(clockTime(59.9996), "00:01:00.000");
  EXPECT_EQ(clockTime(360000), "100:00:00.000");
}

TEST(TranscriptsTest, Formats) {
  Segment segment{1, 2.5, " a <b> & c --> d\n", {}, 0, 0};
  auto as = [&](TranscriptFormat format) {
    return written(format, segment, 1);
  };
  EXPECT_EQ(as(TranscriptFormat::Text), " a <b> & c --> d\n");
  EXPECT_EQ(as(TranscriptFormat::TimedText),
            "[00:00:01.000 --> 00:00:02.500] a <b> & c --> d\n");
  EXPECT_EQ(as(TranscriptFormat::Srt),
            "2\n00:00:01,000 --> 00:00:02,500\na <b> & c -> d\n\n");
  EXPECT_EQ(as(TranscriptFormat::Vtt), "00:00:01.000 --> 00:00:02.500\n"
                                       "a &lt;b&gt; &amp; c --&gt; d\n\n");
}

TEST(TranscriptionJobTest, WhoIsLateOrGoneIsNotWaitedFor) {
  using namespace transfold::runtime::serve;
  auto job = [](std::chrono::seconds left, bool isDisconnected) {
    return std::make_shared<TranscriptionJob>(
        Recording::ofSamples({0, 0}, 16000, 16000), TranscriptionOptions{},
        Clock::now() + left, [isDisconnected] { return isDisconnected; });
  };
  auto there = job(std::chrono::hours(1), false);
  EXPECT_FALSE(there->isCancelledOrExpired());
  auto late = job(std::chrono::seconds(-1), false);
  EXPECT_TRUE(late->isCancelledOrExpired());
  late->wait();
  EXPECT_EQ(late->error()->status, 504);
  auto gone = job(std::chrono::hours(1), true);
  EXPECT_TRUE(gone->isCancelledOrExpired());
  gone->wait();
  EXPECT_EQ(gone->error()->status, 499);
}

} // namespace
