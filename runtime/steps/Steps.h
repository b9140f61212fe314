// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences that grow: some more tokens of some of them in one call. What a
// sequence keeps lies in memory of its own, so that sequences come, go and go
// back without touching each other.

#ifndef TRANSFOLD_RUNTIME_STEPS_STEPS_H
#define TRANSFOLD_RUNTIME_STEPS_STEPS_H

#include "runtime/program/Call.h"
#include "runtime/steps/SequenceCaches.h"
#include "runtime/steps/StepArguments.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime {

class Steps {
public:
  /// What each sequence gets address space for; memory comes with the rows.
  struct Room {
    int64_t positions;       // tokens; the model's limit may be lower
    int64_t requestRows = 0; // of the values that a sequence begins with
    int64_t sequences = 1;   // that have room at the same time
    /// Chunks come with rows of the arguments beside the tokens. Else these
    /// have their defaults, and must have one.
    bool hasRows = false;
  };
  /// Of the entry over whole sequences `of`. Throws Error where the program
  /// cannot go on with them.
  Steps(Session &session, const std::string &of, Room room);

  const Entry &entry() const { return stepCall.entry(); }
  /// The threads that steps run on.
  ThreadPool &pool() const { return stepCall.pool(); }
  /// Positions of the longest sequence.
  int64_t capacity() const { return room.positions; }
  /// What it would be if the system gave memory for as many as were asked for
  /// and the model can have; usually the same.
  int64_t wantedCapacity() const { return positionsWanted; }
  /// Numbers of a row of logits.
  size_t vocabulary() const;
  /// Whether sequences begin with values of a request, such as an encoder's.
  bool hasRequest() const { return beginCall.has_value(); }

  /// A new sequence, empty; the number of one that was dropped may come again.
  size_t add();
  void drop(size_t sequence);
  /// Tokens that the sequence has.
  int64_t length(size_t sequence) const { return slots[sequence].length; }
  /// Forgets all tokens from position `length` on; where a window gave back
  /// what was needed to go on from there, all tokens. Returns the length that
  /// the sequence has then: who calls runs the tokens from there on again.
  [[nodiscard]] int64_t goBack(size_t sequence, int64_t length);
  /// `to` becomes what `from` is: same request, same tokens. Rows that both
  /// have already, the first `shared`, are not copied.
  void copy(size_t from, size_t to, int64_t shared = 0);

  /// Gives `sequence` the request's values, arguments of @….begin: rows are
  /// those of `rows`, for its one argument. Throws Error where there is no room
  /// for as many.
  void begin(size_t sequence, std::span<const float> values, int64_t rows);

  /// Tokens of a prompt in one step, where nobody asks for another number. A
  /// sequence with windows holds the rows of a step besides those. A device has
  /// blocks of threads for four times as many rows.
  static int64_t usualChunk(const LoadedProgram &program) {
    return program.isOnDevice() ? 2048 : 512;
  }
  int64_t usualChunk() const { return usualChunk(session.program()); }
  /// Appends the first `chunk` of a prompt's `tokens`, the usual number for 0,
  /// and takes them away, if there are more: the last part is run for its
  /// logits. Throws Error where there is no room for all of them, before any
  /// work.
  bool runPart(size_t sequence, std::span<const int32_t> &tokens,
               int64_t chunk = 0);

  /// What a step is run for. On a device logits of a large vocabulary take
  /// longer to come than some kernels take.
  enum class For { Logits, Likeliest };

  /// All of a prompt in such parts; its last row is wanted.
  void runPrompt(size_t sequence, std::span<const int32_t> tokens,
                 int64_t chunk = 0, For what = For::Logits);

  struct Chunk {
    size_t sequence;
    std::span<const int32_t> tokens;
    /// Of how many of the last tokens logits are asked for.
    int64_t wanted = 1;
    /// The entry over the whole sequence, `of` its sequences: rows of arguments
    /// beside the tokens are taken from its arguments.
    Call *whole = nullptr;
    size_t of = 0;
  };
  /// Appends tokens to sequences, each at most once. Throws Error where one
  /// becomes too long, or a token is none.
  void run(std::span<const Chunk> chunks, For what = For::Logits);
  /// Of a last run for them: the likeliest token behind the last one of a
  /// chunk, of equally likely ones the first. None where logits() has to be
  /// asked: where kernels run on the host, and where they are no numbers.
  std::optional<int32_t> likeliest(size_t chunk) const;
  /// Logits of a chunk of the last run, for its wanted tokens in order; not
  /// where likeliest() gives a token.
  std::span<const float> logits(size_t chunk) const { return result(0, chunk); }
  /// The same of any result of the entry: logits are the first.
  std::span<const float> result(size_t index, size_t chunk) const {
    return stepCall.result(index, chunk);
  }

private:
  struct Slot {
    std::unique_ptr<SequenceCaches> caches;
    int64_t length = 0;
    int64_t requestRows = 0;
  };
  /// What a length of the step counts.
  enum class Count { Tokens, Wanted, Seen, RequestRows };

  Session &session;
  const Metadata &metadata;
  Call stepCall;
  std::optional<Call> beginCall;
  Room room;
  int64_t positionsWanted = 0; // before memory was looked at
  std::optional<CacheLayout> layout;
  std::vector<Slot> slots;
  std::vector<size_t> dropped;
  StepArguments arguments;
  std::vector<Count> counts; // of each length of the step
  // Of a run, kept so that a step allocates nothing.
  std::vector<int64_t> lengths;
  std::vector<transfold_sequence> memories;
  bool foundLikeliest = false;

  void findArguments();
  void findLengths();
  void makeLayout(std::vector<int64_t> capacities, size_t tokensCache);
  SequenceCaches &cachesOf(size_t sequence);
  void checkRoom(size_t sequence, size_t more) const;
  void check(const Chunk &chunk) const;
  void fillRows(std::span<const Chunk> chunks);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_STEPS_H
