// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Steps.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace transfold::runtime {

CacheMemory::CacheMemory(int64_t size)
    : bytes(static_cast<size_t>(std::max<int64_t>(size, 1))) {
  void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    fail("there is no room for the caches of a sequence, {} bytes; ask for "
         "fewer positions",
         bytes);
  memory = static_cast<uint8_t *>(address);
}

CacheMemory::~CacheMemory() {
  if (memory)
    ::munmap(memory, bytes);
}

namespace {

size_t stepOf(const Metadata &metadata, const std::string &entry) {
  auto step = metadata.staged(entry, Stage::Step);
  if (!step)
    fail("entry '{}' of this program computes whole sequences only", entry);
  return *step;
}

} // namespace

Steps::Steps(Session &session, const std::string &of, int64_t positions)
    : metadata(session.metadata()), stepCall(session, stepOf(metadata, of)),
      positions(positions) {
  if (auto begin = metadata.staged(of, Stage::Begin)) {
    beginCall.emplace(session, *begin);
    if (beginCall->entry().arguments.size() != 1 ||
        beginCall->entry().arguments[0].integer)
      fail("entry '{}' does not take one array of numbers",
           beginCall->entry().name);
  }
  findArguments();
  findLengths();
}

void Steps::findArguments() {
  const Entry &step = stepCall.entry();
  if (step.arguments.size() != 3 || step.results.size() != 1)
    fail("entry '{}' does not turn tokens into one result", step.stageOf);
  for (size_t i = 0; i < step.arguments.size(); ++i)
    (step.arguments[i].isFirst    ? firstArgument
     : step.arguments[i].isWanted ? wantedArgument
                                  : tokensArgument) = i;
}

void Steps::findLengths() {
  // Without a limit, more rows than anybody gives: they are address space.
  constexpr int64_t unlimited = 1 << 16;
  const Entry &step = stepCall.entry();
  auto lengthOf = [&](size_t argument) {
    return static_cast<size_t>(step.arguments[argument].shape.at(0).length);
  };
  size_t tokens = lengthOf(tokensArgument), wanted = lengthOf(wantedArgument);
  if (auto limit = step.limits[tokens])
    positions = std::min(positions, *limit);
  for (size_t i = 0; i < step.lengths.size(); ++i)
    counts.push_back(i == tokens   ? Count::Tokens
                     : i == wanted ? Count::Wanted
                     : step.lengths[i] == step.lengths[tokens] + ".seen"
                         ? Count::Seen
                         : Count::RequestRows);
  for (size_t i = 0; i < metadata.cacheLengths.size(); ++i) {
    bool isTokens = metadata.cacheLengths[i] == step.lengths[tokens];
    capacities.push_back(isTokens ? positions : unlimited);
    if (isTokens)
      tokensCache = i;
    if (isTokens || !beginCall)
      continue;
    const Entry &begin = beginCall->entry();
    auto found = std::ranges::find(begin.lengths, metadata.cacheLengths[i]);
    if (found != begin.lengths.end())
      capacities.back() =
          begin.limits[static_cast<size_t>(found - begin.lengths.begin())]
              .value_or(unlimited);
  }
}

size_t Steps::vocabulary() const {
  return static_cast<size_t>(stepCall.entry().results[0].shape.back().size);
}

//===----------------------------------------------------------------------===//
// The memory of sequences
//===----------------------------------------------------------------------===//

int64_t Steps::memberBytes(const Cache &cache) const {
  return cache.rowBytes *
         (cache.length < 0 ? 1 : capacities[static_cast<size_t>(cache.length)]);
}

int64_t Steps::bytesOf(const Cache &cache) const {
  int64_t bytes;
  if (__builtin_mul_overflow(memberBytes(cache), cache.members, &bytes) ||
      bytes > (int64_t{1} << 46))
    fail("caches for {} positions fit no memory", positions);
  return (bytes + 63) / 64 * 64;
}

uint8_t *Steps::memoryOf(size_t sequence) {
  Slot &slot = slots[sequence];
  if (!slot.memory) {
    int64_t bytes = 0;
    for (const Cache &cache : metadata.caches)
      bytes += bytesOf(cache);
    slot.memory.emplace(bytes);
  }
  return slot.memory->data();
}

size_t Steps::add() {
  if (dropped.empty()) {
    slots.emplace_back();
    return slots.size() - 1;
  }
  size_t number = dropped.back();
  dropped.pop_back();
  return number;
}

void Steps::drop(size_t sequence) {
  slots[sequence] = Slot();
  dropped.push_back(sequence);
}

void Steps::goBack(size_t sequence, int64_t length) {
  if (length < 0 || length > slots[sequence].length)
    fail("a sequence of {} tokens cannot go back to {}", slots[sequence].length,
         length);
  slots[sequence].length = length;
}

void Steps::copy(size_t from, size_t to, int64_t shared) {
  if (from == to)
    return;
  const uint8_t *source = memoryOf(from);
  uint8_t *target = memoryOf(to);
  Slot &other = slots[from];
  int64_t offset = 0;
  for (const Cache &cache : metadata.caches) {
    bool grows = cache.length == static_cast<int>(tokensCache);
    int64_t begin = grows ? shared : 0;
    int64_t end = grows              ? other.length
                  : cache.length < 0 ? 1
                                     : other.requestRows;
    // The request's rows came with the first copy.
    if (!grows && shared)
      end = 0;
    for (int64_t member = 0; member < cache.members && begin < end; ++member)
      std::memcpy(target + offset + member * memberBytes(cache) +
                      begin * cache.rowBytes,
                  source + offset + member * memberBytes(cache) +
                      begin * cache.rowBytes,
                  static_cast<size_t>((end - begin) * cache.rowBytes));
    offset += bytesOf(cache);
  }
  slots[to].length = other.length;
  slots[to].requestRows = other.requestRows;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Steps::begin(size_t sequence, std::span<const float> values,
                  int64_t rows) {
  std::vector<int64_t> own(beginCall->entry().lengths.size(), rows);
  beginCall->setLengths(own);
  std::span<float> argument = beginCall->reals(0);
  if (argument.size() != values.size())
    fail("entry '{}' takes {} numbers for {} rows, not {}",
         beginCall->entry().name, argument.size(), rows, values.size());
  std::ranges::copy(values, argument.begin());
  memories.assign(1, memoryOf(sequence));
  beginCall->run({memories, capacities});
  slots[sequence].length = 0;
  slots[sequence].requestRows = rows;
}

void Steps::check(const Chunk &chunk) const {
  auto count = static_cast<int64_t>(chunk.tokens.size());
  if (count < 1 || chunk.wanted < 1 || chunk.wanted > count)
    fail("a step takes at least one token, and gives at most as many rows");
  int64_t length = slots[chunk.sequence].length + count;
  if (length > positions)
    fail("a sequence of {} tokens is too long; there is room for {}", length,
         positions);
  int64_t bound = stepCall.entry().arguments[tokensArgument].bound;
  for (int32_t token : chunk.tokens)
    if (token < 0 || (bound && token >= bound))
      fail("there is no token {}; the model knows 0 to {}", token, bound - 1);
}

void Steps::run(std::span<const Chunk> chunks) {
  lengths.clear();
  memories.clear();
  for (const Chunk &chunk : chunks) {
    check(chunk);
    const Slot &slot = slots[chunk.sequence];
    auto tokens = static_cast<int64_t>(chunk.tokens.size());
    for (Count count : counts)
      lengths.push_back(count == Count::Tokens   ? tokens
                        : count == Count::Wanted ? chunk.wanted
                        : count == Count::Seen   ? slot.length + tokens
                                                 : slot.requestRows);
    memories.push_back(memoryOf(chunk.sequence));
  }
  stepCall.setSequences(lengths, chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    const Chunk &chunk = chunks[i];
    std::ranges::copy(chunk.tokens,
                      stepCall.integers(tokensArgument, i).begin());
    std::span<int32_t> wanted = stepCall.integers(wantedArgument, i);
    for (size_t row = 0; row < wanted.size(); ++row)
      wanted[row] =
          static_cast<int32_t>(chunk.tokens.size() - wanted.size() + row);
    stepCall.integers(firstArgument, i)[0] =
        static_cast<int32_t>(slots[chunk.sequence].length);
  }
  stepCall.run({memories, capacities});
  for (const Chunk &chunk : chunks)
    slots[chunk.sequence].length += static_cast<int64_t>(chunk.tokens.size());
}

} // namespace transfold::runtime
