// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates between sequences of any length and the step entry that the
// compiler derived from the equations (staging): its lengths, the position of
// its first row, the rows that are requested, and the memory of caches.

#include "runtime/steps/Steps.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/steps/DeviceCaches.h"
#include "runtime/steps/HostCaches.h"

#include <algorithm>

namespace transfold::runtime::inline steps {

namespace {

/// The index of the step of an entry. Throws Error if it has none.
size_t stepOf(const Metadata &metadata, const std::string &entry) {
  auto step = metadata.staged(entry, Stage::Step);
  if (!step)
    fail("entry '{}' of this program computes whole sequences only", entry);
  return *step;
}

/// Maximum number of rows along a cache's length: kernels count elements with
/// 32 bits.
int64_t mostRows(const Metadata &metadata, size_t length) {
  int64_t most = INT32_MAX;
  for (const Cache &cache : metadata.caches)
    if (cache.length >= 0 && static_cast<size_t>(cache.length) == length)
      most = std::min(most, INT32_MAX / std::max<int64_t>(cache.rowNumbers, 1));
  return most;
}

} // namespace

Steps::Steps(Session &session, const std::string &of, Room room)
    : session(session), metadata(session.metadata()),
      stepCall(session, stepOf(metadata, of)), room(room) {
  if (auto begin = metadata.staged(of, Stage::Begin)) {
    beginCall.emplace(session, *begin);
    if (beginCall->entry().arguments.size() != 1 ||
        beginCall->entry().arguments[0].integer)
      fail("entry '{}' does not take one array of reals",
           beginCall->entry().name);
  }
  findArguments();
  findLengths();
}

void Steps::findArguments() {
  const Entry &step = stepCall.entry();
  arguments = stepArguments(step);
  bool areRows = std::ranges::all_of(step.results, [&](const Result &result) {
    return isRowForEach(result.shape);
  });
  if (step.results.empty() || !areRows || !arguments.first ||
      !arguments.wanted || !arguments.request.empty())
    fail("entry '{}' does not turn tokens into results with a row for each",
         step.stageOf);
  for (size_t i : arguments.rows) {
    if (std::ranges::count_if(step.arguments[i].shape, [](const Axis &axis) {
          return axis.length >= 0;
        }) != 1)
      fail(
          "entry '{}' takes '{}' besides its tokens, which has a second length",
          step.stageOf, step.arguments[i].external);
    if (!room.hasRows && !step.arguments[i].defaultValue)
      fail("entry '{}' takes '{}' besides its tokens, which has no default and "
           "which only `eval` can be given",
           step.stageOf, step.arguments[i].external);
  }
}

void Steps::findLengths() {
  const Entry &step = stepCall.entry();
  auto lengthOf = [&](size_t argument) {
    return static_cast<size_t>(step.arguments[argument].shape[0].length);
  };
  size_t tokens = lengthOf(arguments.tokens),
         wanted = lengthOf(*arguments.wanted);
  if (auto limit = step.limits[tokens])
    room.positions = std::min(room.positions, *limit);
  for (size_t i = 0; i < step.lengths.size(); ++i)
    counts.push_back(i == tokens   ? Count::Tokens
                     : i == wanted ? Count::Wanted
                     : step.lengths[i] == step.lengths[tokens] + ".seen"
                         ? Count::Seen
                         : Count::RequestRows);
  size_t tokensCache = 0;
  std::vector<int64_t> capacities;
  for (size_t i = 0; i < metadata.cacheLengths.size(); ++i) {
    bool isTokens = metadata.cacheLengths[i] == step.lengths[tokens];
    // The limits apply to what the caller requested, too.
    int64_t &rows = isTokens ? room.positions : room.requestRows;
    rows = std::min(rows, mostRows(metadata, i));
    capacities.push_back(rows);
    if (isTokens)
      tokensCache = i;
  }
  positionsWanted = room.positions;
  makeLayout(std::move(capacities), tokensCache);
}

/// Computes the layout, for as many positions as the system has address space
/// for if that is limited (ulimit -v, or no memory overcommit). Half of the
/// available space is left for the rest of the process.
void Steps::makeLayout(std::vector<int64_t> capacities, size_t tokensCache) {
  constexpr int64_t least = 64; // fewer positions would not be useful
  auto isThere = [&] {
    auto bytes = CacheLayout::bytesOf(metadata.caches, capacities);
    return bytes && (session.onDevice() ||
                     CacheMemory::isThere(2 * room.sequences * *bytes));
  };
  while (room.positions > least && !isThere()) {
    room.positions = std::max(room.positions / 2, least);
    if (tokensCache < capacities.size())
      capacities[tokensCache] = room.positions;
  }
  layout.emplace(metadata.caches, capacities, tokensCache);
}

size_t Steps::vocabulary() const {
  return static_cast<size_t>(stepCall.entry().results[0].shape.back().size);
}

//===----------------------------------------------------------------------===//
// The memory of sequences
//===----------------------------------------------------------------------===//

SequenceCaches &Steps::cachesOf(size_t sequence) {
  Slot &slot = slots[sequence];
  if (!slot.caches) {
    if (Device *device = session.onDevice())
      slot.caches = std::make_unique<DeviceCaches>(
          *device, *layout, room.positions, room.keepsStates);
    else
      slot.caches = std::make_unique<HostCaches>(*layout, room.keepsStates);
  }
  return *slot.caches;
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

int64_t Steps::lengthHeld(size_t sequence, int64_t length) const {
  const Slot &slot = slots[sequence];
  return slot.caches ? slot.caches->lengthHeld(length) : length;
}

int64_t Steps::goBack(size_t sequence, int64_t length) {
  Slot &slot = slots[sequence];
  if (length < 0 || length > slot.length)
    fail("a sequence of {} tokens cannot go back to {}", slot.length, length);
  return slot.length = slot.caches ? slot.caches->goBackTo(length) : length;
}

void Steps::copy(size_t from, size_t to, int64_t shared) {
  if (from == to)
    return;
  const Slot &other = slots[from];
  cachesOf(to).copy(cachesOf(from), shared, other.length, other.requestRows);
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
  if (rows > room.requestRows)
    fail("the beginning of a sequence has {} rows, which is too long; there is "
         "room for {}",
         rows, room.requestRows);
  std::span<float> argument = beginCall->reals(0);
  if (argument.size() != values.size())
    fail("entry '{}' takes {} elements for {} rows, not {}",
         beginCall->entry().name, argument.size(), rows, values.size());
  std::ranges::copy(values, argument.begin());
  cachesOf(sequence).makeRoom(0, 0, rows);
  memories.assign(1, cachesOf(sequence).memory());
  beginCall->run(memories);
  slots[sequence].length = cachesOf(sequence).goBackTo(0);
  slots[sequence].requestRows = rows;
}

void Steps::checkRoom(size_t sequence, size_t more) const {
  int64_t length = slots[sequence].length + static_cast<int64_t>(more);
  if (length > room.positions)
    fail("a sequence of {} tokens is too long; there is room for {}", length,
         room.positions);
}

void Steps::check(const Chunk &chunk) const {
  auto count = static_cast<int64_t>(chunk.tokens.size());
  if (count < 1 || chunk.wanted < 1 || chunk.wanted > count)
    fail("a step takes at least one token, and gives at most as many rows");
  checkRoom(chunk.sequence, chunk.tokens.size());
  checkTokens(chunk.tokens, stepCall.entry().arguments[arguments.tokens].bound);
}

/// Fills the arguments that have a row for each token, besides the tokens.
void Steps::fillRows(std::span<const Chunk> chunks) {
  for (size_t argument : arguments.rows) {
    const Argument &described = stepCall.entry().arguments[argument];
    if (!room.hasRows) {
      stepCall.fill(argument);
      continue;
    }
    for (size_t i = 0; i < chunks.size(); ++i) {
      const Chunk &chunk = chunks[i];
      const std::vector<Argument> &all = chunk.whole->entry().arguments;
      const auto same = static_cast<size_t>(
          std::ranges::find(all, described.name, &Argument::name) -
          all.begin());
      const size_t width = elementsOfRow(described);
      auto copy = [&](auto from, auto to) {
        std::ranges::copy(
            from.subspan(static_cast<size_t>(slots[chunk.sequence].length) *
                             width,
                         to.size()),
            to.begin());
      };
      if (described.integer)
        copy(chunk.whole->integers(same, chunk.of),
             stepCall.integers(argument, i));
      else
        copy(chunk.whole->reals(same, chunk.of), stepCall.reals(argument, i));
    }
  }
}

void Steps::run(std::span<const Chunk> chunks, For what) {
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
    SequenceCaches &caches = cachesOf(chunk.sequence);
    caches.makeRoom(slot.length, tokens, slot.requestRows);
    memories.push_back(caches.memory());
  }
  stepCall.setSequences(lengths, chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    const Chunk &chunk = chunks[i];
    std::ranges::copy(chunk.tokens,
                      stepCall.integers(arguments.tokens, i).begin());
    std::span<int32_t> wanted = stepCall.integers(*arguments.wanted, i);
    for (size_t row = 0; row < wanted.size(); ++row)
      // The last rows of the chunk, by their indices in it.
      wanted[row] =
          static_cast<int32_t>(chunk.tokens.size() - wanted.size() + row);
    stepCall.integers(*arguments.first, i)[0] =
        static_cast<int32_t>(slots[chunk.sequence].length);
  }
  fillRows(chunks);
  foundLikeliest = what == For::Likeliest && session.onDevice();
  try {
    if (foundLikeliest)
      stepCall.runForLikeliest(memories);
    else
      stepCall.run(memories);
  } catch (...) {
    forgetStates(chunks);
    throw;
  }
  for (const Chunk &chunk : chunks) {
    Slot &slot = slots[chunk.sequence];
    slot.length += static_cast<int64_t>(chunk.tokens.size());
    slot.caches->growTo(slot.length);
  }
}

/// A step that failed has replaced some of the states, so that it cannot be run
/// again: the sequences begin again.
void Steps::forgetStates(std::span<const Chunk> chunks) {
  if (!layout->hasStates())
    return;
  for (const Chunk &chunk : chunks)
    slots[chunk.sequence].length = cachesOf(chunk.sequence).goBackTo(0);
}

std::optional<int32_t> Steps::argmax(size_t chunk) const {
  if (!foundLikeliest)
    return std::nullopt;
  const int32_t token = stepCall.argmax(chunk).back();
  return token < 0 ? std::nullopt : std::optional(token);
}

size_t Steps::partOf(size_t sequence, size_t tokens, size_t most) const {
  if (!room.keepsStates || !layout->hasStates() || tokens < 2)
    return std::min(tokens, most);
  const int64_t length = slots[sequence].length;
  // At least one token remains for the last part.
  const int64_t end = length + static_cast<int64_t>(std::min(tokens - 1, most));
  const int64_t kept = end / KeptStates::spacing * KeptStates::spacing;
  return kept > length ? static_cast<size_t>(kept - length)
                       : std::min(tokens, most);
}

bool Steps::runPart(size_t sequence, std::span<const int32_t> &tokens,
                    int64_t chunk) {
  checkRoom(sequence, tokens.size());
  const size_t count =
      partOf(sequence, tokens.size(),
             static_cast<size_t>(chunk ? chunk : usualChunk()));
  if (tokens.size() <= count)
    return false;
  Chunk part{sequence, tokens.first(count)};
  run(std::span(&part, 1), For::Likeliest); // the logits are not needed
  tokens = tokens.subspan(count);
  return true;
}

void Steps::runPrompt(size_t sequence, std::span<const int32_t> tokens,
                      int64_t chunk, For what) {
  while (runPart(sequence, tokens, chunk)) {
  }
  Chunk last{sequence, tokens};
  run(std::span(&last, 1), what);
}

} // namespace transfold::runtime::inline steps
