// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which clients still wait, and the limit of concurrent preparation.

#include "runtime/serve/watch/WorkBudget.h"

#include "runtime/serve/api/Requests.h"
#include "runtime/serve/watch/RequestLog.h"

#include <gtest/gtest.h>

#include <thread>

using namespace transfold::runtime::serve;

namespace {

class WorkBudgetTest : public testing::Test {
protected:
  std::atomic<bool> isEnding = false;
  std::atomic<bool> isDisconnected = false;

  std::unique_ptr<RequestWatch>
  watch(Clock::time_point deadline = Clock::time_point::max()) {
    return std::make_unique<RequestWatch>(
        deadline, [this] { return isDisconnected.load(); }, isEnding);
  }
  static int statusOf(const std::function<void()> &action) {
    try {
      action();
    } catch (const ApiError &error) {
      return error.status;
    }
    return 200;
  }
};

TEST_F(WorkBudgetTest, SaysWhyNobodyWaits) {
  EXPECT_EQ(statusOf([&] { watch()->look(); }), 200);
  EXPECT_EQ(statusOf([&] { watch(Clock::now())->look(); }), 504);
  isDisconnected = true;
  EXPECT_EQ(statusOf([&] { watch()->look(); }), RequestLog::clientGone);
  isEnding = true;
  EXPECT_EQ(statusOf([&] { watch()->look(); }), 503);
}

TEST_F(WorkBudgetTest, ABodyIsLookedAfterWhileItIsRead) {
  std::string body = R"({"input": "a", "x": [0)";
  for (int i = 0; i < 60000; ++i)
    body += ",{}";
  body += "]}";
  size_t looks = 0;
  try {
    readEmbeddingRequest(body, [&] { ++looks; });
  } catch (const ApiError &error) {
    EXPECT_EQ(error.status, 400); // an unknown field
  }
  EXPECT_GT(looks, 10u);
  EXPECT_EQ(statusOf([&] {
              auto late = watch(Clock::now());
              readEmbeddingRequest(body, late->looks());
            }),
            504);
}

TEST_F(WorkBudgetTest, TakesTurns) {
  WorkBudget budget(100);
  auto first = watch(), second = watch(), third = watch();
  WorkBudget::Share some(budget, 60, *first);
  std::atomic<int> done = 0;
  std::thread large([&] {
    WorkBudget::Share all(budget, 1000, *second); // the whole budget
    EXPECT_EQ(done++, 0);
  });
  std::thread small([&] {
    while (budget.waitingNow() == 0)
      std::this_thread::yield();
    WorkBudget::Share few(budget, 10, *third);
    EXPECT_EQ(done++, 1);
  });
  while (budget.waitingNow() < 2)
    std::this_thread::yield();
  EXPECT_EQ(done, 0);
  some.giveBack();
  large.join();
  small.join();
  EXPECT_EQ(done, 2);
}

TEST_F(WorkBudgetTest, WhoLeavesMakesRoom) {
  WorkBudget budget(100);
  auto first = watch(), second = watch(Clock::now()), third = watch();
  WorkBudget::Share some(budget, 60, *first);
  EXPECT_EQ(statusOf([&] { WorkBudget::Share all(budget, 100, *second); }),
            504);
  EXPECT_EQ(budget.waitingNow(), 0u);
  WorkBudget::Share rest(budget, 40, *third);
}

} // namespace
