/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface between compiled code and the runtime: the compiler writes one
 * constant `transfold_program` into an object file, which the runtime reads.
 * Plain C with a fixed layout; `abi` changes with it. */

#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRANSFOLD_ABI 12u

/* A block of a device's memory. Kernels use 32-bit indices, and OpenCL has no
 * pointers into buffers: therefore parts[k] is the `device` handle of a
 * halide_buffer_t that begins at byte k << TRANSFOLD_PART_BITS of the block and
 * extends to its end. */
#define TRANSFOLD_PART_BITS 26
typedef struct transfold_memory {
  const uint64_t *parts;
} transfold_memory;

/* Sizes used by the kernels `copy_several` and `largest` of transfold_program.
 */
#define TRANSFOLD_COPIES 8
#define TRANSFOLD_LARGEST_OF 4096

/* A device (GPU) as the code of an entry uses it: its memory holds the weights,
 * an arena and the caches of sequences. A kernel gets the part of the block in
 * which its values begin, as a buffer with one additional dimension, of stride
 * 1, whose last index is where they begin. Functions return 0 or an error code
 * of Halide; offsets are bytes. */
typedef struct transfold_device {
  const struct halide_device_interface_t *interface;
  transfold_memory weights, arena;
  /* Copy from the host to the arena, and back; `download` waits for all earlier
   * kernels. If `more` is not 0, another upload follows before anything else,
   * and both may be merged into one: the arena holds nothing else yet. */
  int32_t (*upload)(struct transfold_device *device, int64_t to,
                    const void *from, int64_t bytes, int64_t more);
  int32_t (*download)(struct transfold_device *device, void *to, int64_t from,
                      int64_t bytes);
  /* Copies within the device's memory, in order with kernels and without
   * waiting for them. If `more` is not 0, another call follows before anything
   * else, and both may be merged into one launch: source and target of all of
   * them are disjoint. */
  int32_t (*copy)(struct transfold_device *device, transfold_memory to_memory,
                  int64_t to, transfold_memory from_memory, int64_t from,
                  int64_t bytes, int64_t more);
  /* Argmax: for each of `rows` rows of `numbers` floats at `from` in the arena,
   * writes the index of the largest element to `places`; of equal elements, the
   * first. If a row contains NaN or infinity, or is all -infinity, its index is
   * -1, and all rows are copied to `values`. Waits as `download` does. */
  int32_t (*largest)(struct transfold_device *device, int32_t *places,
                     void *values, int64_t from, int64_t rows, int64_t numbers);
  /* Kernels launched after this call run in lane `lane` (from 1 on): they read
   * nothing that kernels of another lane write, and may run concurrently with
   * them. Lane 0 ends this: the next kernel runs after all of them. */
  int32_t (*beside)(struct transfold_device *device, int64_t lane);
} transfold_device;

/* Where a cache lies in the memory of a sequence, in bytes: `begin` is the row
 * of position 0 of its first member, `stride` the distance from a member to the
 * next. If rows before a window are not kept, `begin` may lie before the
 * memory: only rows that are kept are accessed. */
typedef struct transfold_place {
  int64_t begin, stride;
} transfold_place;

/* The memory and the caches of one sequence. */
typedef struct transfold_sequence {
  /* Null on a device. */
  uint8_t *memory;
  /* Null in the host's memory. */
  transfold_memory on_device;
  /* One for each of the metadata's "caches". */
  const transfold_place *places;
} transfold_sequence;

/* Profiler callback: `launched` is called for each kernel launch, with the
 * kernel's number. */
typedef struct transfold_watch {
  void (*launched)(struct transfold_watch *watch, uint32_t kernel);
} transfold_watch;

/* One call of an entry, for one sequence or several. All pointers are aligned
 * to 64 bytes. Integers are int32_t, reals are float; arrays are dense and
 * row-major. An argument or result with a length holds the rows of all
 * sequences one after the other, without padding: its axis with the length
 * comes first in memory, then the others in declared order. An argument or
 * result without a length holds one element of its shape for each sequence.
 * Values over pairs of positions are also stored one sequence after the other,
 * each in declared order. */
typedef struct transfold_frame {
  const uint8_t *weights;       /* start of the payload of the weights file */
  uint8_t *arena;               /* scratch memory of at least arena_bytes(…) */
  const void *const *arguments; /* in the order of the metadata */
  void *const *results;         /* in the order of the metadata */
  int64_t sequences;            /* at least 1 */
  /* For each of the entry's "lengths", then for each of its "products", a table
   * of sequences + 1 ascending offsets from 0: where the rows of each sequence
   * begin, and where the last ones end. */
  const int64_t *const *offsets;
  const void *const *kernels; /* of the selected variant */
  /* Null: kernels work in the host's memory; otherwise `weights` and `arena`
   * are null. */
  transfold_device *device;
  transfold_watch *watch; /* null: no profiler */
  /* For entries that continue sequences: the caches of each sequence. */
  const transfold_sequence *caches;
  /* Runs `calls` on all threads at once, with the same `values`. The parallel
   * loops of the kernels that it calls are divided among the threads, and a
   * thread waits for the others only when all have returned. If bit i of
   * `same_tasks` is set, each thread gets the same tasks of loop i as it got of
   * loop i - 1. Returns 0, or the code that `calls` returned on one of the
   * threads. */
  int32_t (*together)(int32_t (*calls)(void **values), void **values,
                      uint64_t same_tasks);
  /* Calls `call` with each of `count` lists of values, `stride` pointers apart,
   * each call on one thread; null if there are too few sequences to give every
   * thread one. Returns 0, or the code that `call` returned. */
  int32_t (*each)(int32_t (*call)(void **values), void **values, int64_t stride,
                  int64_t count);
  /* On a device, for a step whose first result is rows of elements: null, or
   * where to write the argmax of each row. In the latter case the result itself
   * is copied only as described at `largest` of transfold_device. */
  int32_t *argmax;
} transfold_frame;

/* Runs an entry. Returns 0, or the error code of the kernel that failed;
 * TRANSFOLD_TOO_LARGE if a value has more elements than kernels can count with
 * 32 bits, in which case it is not computed. */
#define TRANSFOLD_TOO_LARGE                                                    \
  (-6) /* halide_error_code_buffer_extents_too_large */
typedef int32_t (*transfold_run)(const transfold_frame *frame);
/* Bytes of scratch memory for `sequences` sequences; `rows` are their total
 * numbers of rows for each of the entry's lengths and products. */
typedef int64_t (*transfold_arena_bytes)(int64_t sequences,
                                         const int64_t *rows);

/* The code of one entry. */
typedef struct transfold_entry {
  transfold_run run;
  transfold_arena_bytes arena_bytes;
} transfold_entry;

/* The kernels for one kind of processor ("avx512"), and the instruction set
 * extensions that they need, as a Halide target. */
typedef struct transfold_variant {
  const char *name;   /* such as "avx512" */
  const char *target; /* "x86-64-linux-avx-avx2-…" */
  /* Functions, in the order of the kernel numbers. */
  const void *const *kernels;
} transfold_variant;

/* Bytes in the program. */
typedef struct transfold_blob {
  const char *data; /* null if the program has none */
  uint64_t size;
} transfold_blob;

/*
 * `metadata` is JSON:
 *   { "model": "bert", "transfold": "0.1.0", "target": "…",
 *     "weights": {"bytes": 90000000, "read": 90000000,
 *                 "hash": "16 hex digits"},
 *     "entries": [ { "name": "encode", "lengths": ["n"], "limits": {"n": 512},
 *         "least": {"n": 2}, "products": [[0, 0]],
 *         "arguments": [{"name": "tokens", "external": "input_ids",
 *                        "kind": "integer", "shape": ["n"], "default": null,
 *                        "bound": 30522}],
 *         "results": [{"name": "hidden", "external": "last_hidden_state",
 *                      "shape": ["n", 384]}] } ],
 *     "tasks": [ {"kind": "embed", "entries": ["sentence"],
 *                 "options": {"max_tokens": 256}} ],
 *     "no_chat": "why there is no chat template",
 *     "kernels": [ {"name": "…", "schedule": "…", "products": "f32",
 *                   "few_of": "…"} ],
 *     "sources": [ ["bert.xf", "model bert\n…"], … ] }
 * Entries that begin or continue sequences have "stage" ("begin", "step") and
 * "stage_of", the entry over whole sequences. The memory of a sequence consists
 * of its "caches", each
 *   {"name": "decode.0", "length": "n", "members": 2, "row_numbers": 32,
 *    "row_bytes": 128},
 * at the position given by its transfold_place, aligned to 64 bytes: each
 * member has a row for each position of the length, or one row if the length is
 * null. With "window" w, a step that begins at position p reads no row before
 * p - w + 1.
 * "work" of an entry is the total work of its launches of a kernel, including
 * those of the variants that are "few_of" it: {"kernel": "…", "launches": 6,
 * "weight_bytes": 3538944, "operations": [[1769472, ["n"]]]}, where operations
 * (multiplications and additions) are a sum of factors times lengths; "n.seen"
 * is the number of rows of n and those before them. Kernels whose work cannot
 * be expressed in this way are not listed. "products" are products of lengths,
 * by their indices: [0, 0] has n · n rows for each sequence. An axis of a shape
 * is a number or the name of a length. `entries[k]` is the code of entry k of
 * the metadata.
 */
typedef struct transfold_program {
  uint32_t abi; /* TRANSFOLD_ABI */
  uint32_t entry_count;
  const transfold_entry *entries;
  uint64_t variant_count;
  /* The most capable first. */
  const transfold_variant *variants;
  transfold_blob metadata;
  transfold_blob
      /* runtime/tokenizer/tables/Tables.h; aligned to 8 bytes. */
      tokenizer;
  /* The chat template in compiled form, runtime/chat/Nodes.h. */
  transfold_blob chat_template;
  /* Device interface of Halide's runtime; null: kernels work in the host's
   * memory. */
  const struct halide_device_interface_t *(*device_interface)(void);
  /* Device kernels that do not belong to an entry; they get buffers in the same
   * form as those of entries. Null if there is no device. */
  /* Copies words of one buffer to another. */
  int32_t (*copy_words)(struct halide_buffer_t *from,
                        struct halide_buffer_t *to);
  /* The same for a list of buffers of equal numbers of words: TRANSFOLD_COPIES
   * sources, then TRANSFOLD_COPIES targets. The last dimension of a target has
   * extent 2, and its stride is the offset at which the words begin. */
  int32_t (*copy_several)(void **buffers);
  /* Part of the argmax: for each piece of TRANSFOLD_LARGEST_OF elements of a
   * row, the last of which may be shorter, writes the largest to (piece, row)
   * of `largest`. The upper half is the float's bit pattern, mapped to an
   * integer of the same order, with NaN above all; the lower half is UINT32_MAX
   * minus its index in the row, so that of equal elements the first one is the
   * largest. `numbers` has the dimensions (element, row); the result has no
   * dimension for where it begins. */
  int32_t (*largest)(struct halide_buffer_t *numbers,
                     struct halide_buffer_t *largest);
  /* The same model for another target: used if the device of this one is not
   * present. Null: there is no other. */
  const struct transfold_program *next;
} transfold_program;

extern const transfold_program transfold_program_data;

#ifdef __cplusplus
}
#endif
