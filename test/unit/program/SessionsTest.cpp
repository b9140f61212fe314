// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program, used by several threads at once as in a server: each has its own
// session, and all share the pool (FakeProgram.cpp).

#include "base/Error.h"
#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/call/Call.h"

#include <gtest/gtest.h>

#include <thread>

using namespace transfold;
using namespace transfold::runtime;

namespace {

/// Runs encode(tokens) -> hidden[n, 4] for one and several sequences; its
/// kernel is a loop over tokens, which fails at 13.
void serve(const LoadedProgram &program, ThreadPool &pool, int number) {
  Session session(program, pool);
  Call call(session, session.metadata().entry("encode"));
  for (int i = 0; i < 100; ++i) {
    std::vector<int64_t> lengths((static_cast<size_t>(number + i) % 3) + 1);
    for (size_t k = 0; k < lengths.size(); ++k)
      lengths[k] = 1 + (number + i + static_cast<int64_t>(k)) % 8;
    call.setSequences(lengths, lengths.size());
    call.fill(1); // segments
    bool fails = i % 5 == 0;
    for (size_t k = 0; k < lengths.size(); ++k)
      std::ranges::fill(call.integers(0, k), fails ? 13 : number);
    try {
      call.run();
      EXPECT_FALSE(fails);
    } catch (const Error &error) {
      EXPECT_TRUE(fails) << error.what();
      EXPECT_STREQ(error.what(), "a kernel of entry 'encode' failed: code -13");
      continue;
    }
    for (size_t k = 0; k < lengths.size(); ++k)
      for (size_t j = 0; j < call.result(0, k).size(); ++j)
        EXPECT_EQ(call.result(0, k)[j], static_cast<float>(number) +
                                            static_cast<float>(j % 4) / 10.0f);
  }
}

// A row takes 1 MiB of scratch, and a group has room for 8.
TEST(Sessions, SequencesRunInGroups) {
  ThreadPool pool;
  LoadedProgram program(transfold_program_data, "");
  Session session(program, pool);
  Call call(session, session.metadata().entry("encode"));
  const std::vector<int64_t> lengths = {5, 3, 1, 8, 2, 2};
  call.setSequences(lengths, lengths.size());
  EXPECT_EQ(call.groups(), 4u); // 5 and 3, 1, 8, 2 and 2
  call.fill(1);                 // segments
  for (size_t k = 0; k < lengths.size(); ++k) {
    ASSERT_EQ(call.integers(0, k).size(), static_cast<size_t>(lengths[k]));
    for (size_t i = 0; i < call.integers(0, k).size(); ++i)
      call.integers(0, k)[i] = static_cast<int32_t>(20 * (k + 1) + i);
  }
  call.run();
  for (size_t k = 0; k < lengths.size(); ++k) {
    ASSERT_EQ(call.result(0, k).size(), static_cast<size_t>(4 * lengths[k]));
    for (size_t j = 0; j < call.result(0, k).size(); ++j)
      EXPECT_EQ(call.result(0, k)[j], static_cast<float>(20 * (k + 1) + j / 4) +
                                          static_cast<float>(j % 4) / 10.0f);
  }
  call.setSequences({}, 0);
  EXPECT_EQ(call.groups(), 1u);
  call.run();
}

TEST(Sessions, SeveralAtOnce) {
  for (unsigned threads : {1, 3}) {
    ThreadPool pool;
    pool.setThreads(threads);
    LoadedProgram program(transfold_program_data, "");
    std::vector<std::thread> requests;
    for (int number = 1; number <= 6; ++number)
      requests.emplace_back(serve, std::cref(program), std::ref(pool), number);
    for (std::thread &request : requests)
      request.join();
  }
}

} // namespace
