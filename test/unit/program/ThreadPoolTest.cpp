// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/kernels/ThreadPool.h"
#include "runtime/kernels/FusedLoops.h"
#include "runtime/kernels/PoolScope.h"

#include <HalideRuntime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

using transfold::runtime::PoolScope;
using transfold::runtime::runTogether;
using transfold::runtime::ThreadPool;

namespace {

/// Counts the runs of each index.
struct Counts {
  std::vector<int> runs;
  int first;
};

int countIndex(void *context, int index, uint8_t *closure) {
  auto *counts = static_cast<Counts *>(context);
  EXPECT_EQ(closure, reinterpret_cast<uint8_t *>(context));
  ++counts->runs[static_cast<size_t>(index - counts->first)];
  return 0;
}

void runsEachIndexOnce(ThreadPool &pool, int first, int size) {
  Counts counts{std::vector<int>(static_cast<size_t>(size)), first};
  EXPECT_EQ(pool.parallelFor(countIndex, &counts, first, size,
                             reinterpret_cast<uint8_t *>(&counts)),
            0);
  EXPECT_EQ(counts.runs, std::vector<int>(static_cast<size_t>(size), 1));
}

TEST(ThreadPool, RunsEachIndexOnce) {
  for (unsigned threads : {1, 2, 3, 8}) {
    ThreadPool pool;
    pool.setThreads(threads);
    EXPECT_EQ(pool.threads(), threads);
    // Short loops of changing sizes, in quick succession: late workers meet the
    // next loop.
    for (int i = 0; i < 3000; ++i)
      runsEachIndexOnce(pool, i % 7 - 3, i % 11);
  }
}

TEST(ThreadPool, WakesSleepers) {
  ThreadPool pool;
  pool.setThreads(3);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    runsEachIndexOnce(pool, 0, 5);
  }
}

TEST(ThreadPool, ChangesSize) {
  ThreadPool pool;
  for (unsigned threads : {4, 1, 2, 2, 5, 1}) {
    pool.setThreads(threads);
    runsEachIndexOnce(pool, 0, 100);
  }
}

TEST(ThreadPool, ReturnsTheCodeOfAFailure) {
  auto failAtFive = [](void *, int index, uint8_t *) {
    return index == 5 ? -42 : 0;
  };
  for (unsigned threads : {1, 3}) {
    ThreadPool pool;
    pool.setThreads(threads);
    EXPECT_EQ(pool.parallelFor(failAtFive, nullptr, 0, 10, nullptr), -42);
    EXPECT_EQ(pool.parallelFor(failAtFive, nullptr, 6, 10, nullptr), 0);
  }
}

/// A task that runs its own loop in the pool, which is its context.
int runLoopInside(void *pool, int, uint8_t *) {
  runsEachIndexOnce(*static_cast<ThreadPool *>(pool), 0, 9);
  return 0;
}

TEST(ThreadPool, NestedLoopsRunInline) {
  for (unsigned threads : {1, 3}) {
    ThreadPool pool;
    pool.setThreads(threads);
    EXPECT_EQ(pool.parallelFor(runLoopInside, &pool, 0, 50, nullptr), 0);
  }
}

TEST(ThreadPool, SeveralCallers) {
  ThreadPool pool;
  pool.setThreads(2);
  auto caller = [&] {
    for (int i = 0; i < 500; ++i)
      runsEachIndexOnce(pool, 0, 20);
  };
  std::thread second(caller);
  caller();
  second.join();
}

/// The use of one pool by a server: requests on separate threads, each with
/// loops of all sizes, some nested, some that fail. A failure is reported to
/// the request that it belongs to.
class Request {
public:
  Request(ThreadPool &pool, int number) : pool(pool), number(number) {}

  void run() {
    for (int i = 0; i < 200; ++i) {
      runsEachIndexOnce(pool, number, (i * 7 + number) % 40);
      if (i % 10 == 0)
        EXPECT_EQ(pool.parallelFor(runLoopInside, &pool, 0, i % 13, nullptr),
                  0);
      bool fails = (i + number) % 3 == 0;
      EXPECT_EQ(
          pool.parallelFor(fails ? failAtTwo : succeed, this, 0, 6, nullptr),
          fails ? -number : 0);
    }
  }

private:
  ThreadPool &pool;
  int number;

  static int failAtTwo(void *request, int index, uint8_t *) {
    return index == 2 ? -static_cast<Request *>(request)->number : 0;
  }
  static int succeed(void *, int, uint8_t *) { return 0; }
};

TEST(ThreadPool, ManyRequestsAtOnce) {
  for (unsigned threads : {1, 2, 4}) {
    ThreadPool pool;
    pool.setThreads(threads);
    std::vector<std::thread> requests;
    for (int number = 1; number <= 8; ++number)
      requests.emplace_back([&, number] { Request(pool, number).run(); });
    for (std::thread &request : requests)
      request.join();
  }
}

/// Waits for a second task, which only another thread can run; gives up after
/// some time.
int meetAnother(void *, int, uint8_t *closure) {
  auto &waiting = *reinterpret_cast<std::atomic<int> *>(closure);
  ++waiting;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (waiting < 2 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  return waiting < 2 ? -1 : 0;
}

/// Whether this is the thread that started the loop.
int isHere(void *, int, uint8_t *asked) {
  return *reinterpret_cast<std::thread::id *>(asked) ==
                 std::this_thread::get_id()
             ? 0
             : -1;
}

bool kernelsHaveWorkers() {
  std::atomic<int> waiting = 0;
  return halide_do_par_for(nullptr, meetAnother, 0, 2,
                           reinterpret_cast<uint8_t *>(&waiting)) == 0;
}

bool kernelsRunHere() {
  std::thread::id here = std::this_thread::get_id();
  return halide_do_par_for(nullptr, isHere, 0, 1000,
                           reinterpret_cast<uint8_t *>(&here)) == 0;
}

TEST(PoolScope, KernelsRunOnThePoolOfTheirThread) {
  ThreadPool two, one;
  two.setThreads(2);
  EXPECT_TRUE(kernelsRunHere());
  {
    PoolScope outer(two);
    EXPECT_TRUE(kernelsHaveWorkers());
    {
      PoolScope inner(one);
      EXPECT_TRUE(kernelsRunHere());
    }
    EXPECT_TRUE(kernelsHaveWorkers());
    std::thread([] { EXPECT_TRUE(kernelsRunHere()); }).join();
  }
  EXPECT_TRUE(kernelsRunHere());
}

/// Two loops as kernels start them: the second adds up the results of the
/// first.
struct TwoLoops {
  std::vector<int> first, second;
  int size;
  int failsAt = -1;
};

int makeFirst(void *context, int index, uint8_t *) {
  auto *loops = static_cast<TwoLoops *>(context);
  if (index == loops->failsAt)
    return -7;
  loops->first[static_cast<size_t>(index)] += index + 1;
  return 0;
}

int makeSecond(void *context, int index, uint8_t *) {
  auto *loops = static_cast<TwoLoops *>(context);
  auto at = static_cast<size_t>(index);
  loops->second[at] += 2 * loops->first[at];
  return 0;
}

int32_t callBoth(void **values) {
  auto *loops = static_cast<TwoLoops *>(*values);
  if (int code = halide_do_par_for(loops, makeFirst, 0, loops->size, nullptr))
    return code;
  return halide_do_par_for(loops, makeSecond, 0, loops->size, nullptr);
}

TwoLoops runBoth(ThreadPool &pool, int size, int failsAt, int32_t code) {
  auto count = static_cast<size_t>(size);
  TwoLoops loops{std::vector<int>(count), std::vector<int>(count), size,
                 failsAt};
  void *values[] = {&loops};
  PoolScope scope(pool);
  EXPECT_EQ(runTogether(callBoth, values, 0b10), code);
  return loops;
}

// Each task runs once, the second of the pair on the thread that ran the first;
// also under the thread sanitizer.
TEST(FusedLoops, ThreadsTakeTheSameTasksOfBoth) {
  for (unsigned threads : {1, 2, 3, 8}) {
    ThreadPool pool;
    pool.setThreads(threads);
    for (int i = 0; i < 2000; ++i) {
      const int size = i % 37;
      TwoLoops loops = runBoth(pool, size, -1, 0);
      for (int k = 0; k < size; ++k) {
        EXPECT_EQ(loops.first[static_cast<size_t>(k)], k + 1);
        EXPECT_EQ(loops.second[static_cast<size_t>(k)], 2 * (k + 1));
      }
    }
  }
}

TEST(FusedLoops, ReturnTheCodeOfAFailure) {
  ThreadPool pool;
  pool.setThreads(3);
  runBoth(pool, 20, 5, -7);
  runBoth(pool, 20, -1, 0);
}

// A second thread uses the same pool while it is busy: it runs its loop alone.
TEST(FusedLoops, RunOnOneThreadWhereThePoolIsBusy) {
  ThreadPool pool;
  pool.setThreads(2);
  std::vector<std::thread> askers;
  for (int asker = 0; asker < 4; ++asker)
    askers.emplace_back([&pool] {
      for (int i = 0; i < 200; ++i)
        EXPECT_EQ(runBoth(pool, 9, -1, 0).second,
                  (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16, 18}));
    });
  for (std::thread &asker : askers)
    asker.join();
}

// A nested loop runs on the thread of its task.
int32_t callNested(void **values) {
  auto outer = [](void *context, int, uint8_t *) {
    auto inner = [](void *sum, int index, uint8_t *) {
      *static_cast<std::atomic<int> *>(sum) += index;
      return 0;
    };
    return halide_do_par_for(context, inner, 0, 4, nullptr);
  };
  return halide_do_par_for(*values, outer, 0, 10, nullptr);
}

TEST(FusedLoops, RunLoopsWithinTasksByThemselves) {
  ThreadPool pool;
  pool.setThreads(2);
  PoolScope scope(pool);
  std::atomic<int> sum = 0;
  void *values[] = {&sum};
  EXPECT_EQ(runTogether(callNested, values, 0), 0);
  EXPECT_EQ(sum, 60);
}

} // namespace
