// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <vector>

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

TEST(ThreadPool, NestedLoopsRunInline) {
  static ThreadPool pool;
  pool.setThreads(3);
  auto outer = [](void *, int, uint8_t *) {
    runsEachIndexOnce(pool, 0, 9);
    return 0;
  };
  EXPECT_EQ(pool.parallelFor(outer, nullptr, 0, 50, nullptr), 0);
  pool.setThreads(1);
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

} // namespace
