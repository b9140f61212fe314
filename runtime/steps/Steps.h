// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences that grow: one call appends tokens to some of them. The caches of
// each sequence have memory of their own, so sequences can be added, dropped
// and rolled back without affecting each other.

#pragma once

#include "runtime/program/call/Call.h"
#include "runtime/steps/SequenceCaches.h"
#include "runtime/steps/StepArguments.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::inline steps {

/// Runs the steps (prefill and decode) of an entry for any number of sequences.
class Steps {
public:
  /// The address space reserved for each sequence; memory is occupied as rows
  /// are written.
  struct Room {
    int64_t positions;       // number of tokens; the model's limit may be lower
    int64_t requestRows = 0; // rows of the values that a sequence begins with
    int64_t sequences = 1;   // number of sequences that fit at the same time
    /// Whether chunks contain rows of the arguments besides the tokens.
    /// Otherwise these arguments have their default values, and must have one.
    bool hasRows = false;
    /// Whether sequences go back, so that states of recurrences are kept at
    /// earlier positions (KeptStates.h).
    bool keepsStates = false;
  };
  /// For the entry over whole sequences named `of`. Throws Error if the program
  /// has no step for it.
  Steps(Session &session, const std::string &of, Room room);

  const Entry &entry() const { return stepCall.entry(); }
  /// The thread pool on which steps run.
  ThreadPool &pool() const { return stepCall.pool(); }
  /// Number of positions of the longest sequence.
  int64_t capacity() const { return room.positions; }
  /// The capacity if the system had memory for all positions that were
  /// requested and that the model can have; usually equal to capacity().
  int64_t wantedCapacity() const { return positionsWanted; }
  /// Number of elements of a row of logits.
  size_t vocabulary() const;
  /// Whether sequences begin with values of a request, such as an encoder's
  /// result.
  bool hasRequest() const { return beginCall.has_value(); }

  /// Adds an empty sequence and returns its number; numbers of dropped
  /// sequences are reused.
  size_t add();
  void drop(size_t sequence);
  /// Number of tokens in the sequence.
  int64_t length(size_t sequence) const { return slots[sequence].length; }
  /// Forgets all tokens from position `length` on, or more of them: all, if a
  /// window has given back rows that are needed to continue from there, and
  /// those after an earlier position, if states were kept there. Returns the
  /// resulting length of the sequence: the caller must run the tokens from
  /// there on again.
  [[nodiscard]] int64_t goBack(size_t sequence, int64_t length);
  /// What goBack would return.
  int64_t lengthHeld(size_t sequence, int64_t length) const;
  /// Makes `to` a copy of `from`: same request, same tokens. The first `shared`
  /// rows are equal in both and are not copied.
  void copy(size_t from, size_t to, int64_t shared = 0);

  /// Gives `sequence` the request's values, the argument of entry @….begin,
  /// which has `rows` rows. Throws Error if there is not enough room for them.
  void begin(size_t sequence, std::span<const float> values, int64_t rows);

  /// Default number of tokens of a prompt per step. A sequence with windows
  /// holds the rows of a step in addition to those of the windows. A device has
  /// enough thread blocks for four times as many rows.
  static int64_t usualChunk(const LoadedProgram &program) {
    return program.isOnDevice() ? 2048 : 512;
  }
  int64_t usualChunk() const { return usualChunk(session.program()); }
  /// How many of the next `tokens` of a prompt belong into one step of at most
  /// `most` tokens. If states are kept, a step ends where they are.
  size_t partOf(size_t sequence, size_t tokens, size_t most) const;
  /// If `tokens` has more than one part of at most `chunk` elements (0: the
  /// default), runs the first one, removes it from `tokens` and returns true;
  /// the last part is left, to be run for its logits. Throws Error before any
  /// work if there is not enough room for all tokens.
  bool runPart(size_t sequence, std::span<const int32_t> &tokens,
               int64_t chunk = 0);

  /// The purpose of a step: logits, or only their argmax. On a device,
  /// transferring the logits of a large vocabulary takes longer than some
  /// kernels.
  enum class For { Logits, Likeliest };

  /// Runs a whole prompt in such parts; logits are computed for its last token.
  void runPrompt(size_t sequence, std::span<const int32_t> tokens,
                 int64_t chunk = 0, For what = For::Logits);

  /// The tokens to be appended to one sequence.
  struct Chunk {
    size_t sequence;
    std::span<const int32_t> tokens;
    /// For how many of the last tokens logits are requested.
    int64_t wanted = 1;
    /// A call of the entry over whole sequences, and the index of the sequence
    /// in it: rows of the arguments besides the tokens are copied from its
    /// arguments.
    Call *whole = nullptr;
    size_t of = 0;
  };
  /// Appends tokens to sequences, each of which occurs at most once. Throws
  /// Error if a sequence becomes too long, or for an invalid token.
  void run(std::span<const Chunk> chunks, For what = For::Logits);
  /// After a run for For::Likeliest: the most likely token after the last one
  /// of a chunk, of equally likely ones the first. nullopt if logits() must be
  /// used: if kernels run on the host, or if the logits contain NaN or
  /// infinity.
  std::optional<int32_t> argmax(size_t chunk) const;
  /// Logits of a chunk of the last run, one row for each wanted token in order;
  /// not available if argmax() returns a token.
  std::span<const float> logits(size_t chunk) const { return result(0, chunk); }
  /// The same for any result of the entry; the logits are result 0.
  std::span<const float> result(size_t index, size_t chunk) const {
    return stepCall.result(index, chunk);
  }

private:
  /// A sequence; its caches are created when they are first needed.
  struct Slot {
    std::unique_ptr<SequenceCaches> caches;
    int64_t length = 0;
    int64_t requestRows = 0;
  };
  /// The quantity that a length of the step counts.
  enum class Count { Tokens, Wanted, Seen, RequestRows };

  Session &session;
  const Metadata &metadata;
  Call stepCall;
  std::optional<Call> beginCall;
  Room room;
  int64_t positionsWanted = 0; // before the limit by available memory
  std::optional<CacheLayout> layout;
  std::vector<Slot> slots;
  /// Numbers of sequences that add() may return again.
  std::vector<size_t> dropped;
  /// Which arguments of the step are what.
  StepArguments arguments;
  std::vector<Count> counts; // for each length of the step
  // Temporaries of a run, kept so that a step allocates nothing.
  std::vector<int64_t> lengths;
  std::vector<transfold_sequence> memories;
  /// Whether the last run computed argmax instead of logits.
  bool foundLikeliest = false;

  /// Check the step's signature, and determine `arguments`, `counts` and
  /// `layout`. Throw Error.
  void findArguments();
  void findLengths();
  void makeLayout(std::vector<int64_t> capacities, size_t tokensCache);
  /// The caches of a sequence, which are created if it has none. Throws Error.
  SequenceCaches &cachesOf(size_t sequence);
  /// Throws Error if a sequence has no room for `more` tokens.
  void checkRoom(size_t sequence, size_t more) const;
  /// Throws Error if a chunk is invalid.
  void check(const Chunk &chunk) const;
  void fillRows(std::span<const Chunk> chunks);
  void forgetStates(std::span<const Chunk> chunks);
};

} // namespace transfold::runtime::inline steps
