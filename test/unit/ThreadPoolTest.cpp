// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/kernels/ThreadPool.h"
#include "runtime/kernels/PoolScope.h"

#include <HalideRuntime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

using transfold::runtime::PoolScope;
using transfold::runtime::ThreadPool;

namespace {

/// Counts how often each index was run.
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
    // Short loops of changing sizes, one right after the other: late workers
    // meet the next loop.
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

/// A task that runs a loop of its own in the pool that is its context.
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

/// What a server does with one pool: requests on threads of their own, each
/// with loops of all sizes, some within others, some that fail. A failure is
/// told to the request that it belongs to.
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

/// Waits for a second task, which only another thread can run; gives up after a
/// while.
int meetAnother(void *, int, uint8_t *closure) {
  auto &waiting = *reinterpret_cast<std::atomic<int> *>(closure);
  ++waiting;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (waiting < 2 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  return waiting < 2 ? -1 : 0;
}

/// Whether this is the thread that asked for the loop.
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

} // namespace
