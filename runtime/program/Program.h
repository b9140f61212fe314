/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the compiler writes into an object file and the runtime reads: one
 * constant `transfold_program`. Plain C, fixed layout; `abi` changes with it.
 */

#ifndef TRANSFOLD_RUNTIME_PROGRAM_PROGRAM_H
#define TRANSFOLD_RUNTIME_PROGRAM_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRANSFOLD_ABI 12u

/* A block of a device's memory. Kernels count with 32 bits, and OpenCL has no
 * pointers into buffers: parts[k] is `device` of a halide_buffer_t that begins
 * at byte k << TRANSFOLD_PART_BITS of the block and ends with it. */
#define TRANSFOLD_PART_BITS 26
typedef struct transfold_memory {
  const uint64_t *parts;
} transfold_memory;

/* Of the kernels `copy_several` and `largest` of transfold_program. */
#define TRANSFOLD_COPIES 8
#define TRANSFOLD_LARGEST_OF 4096

/* A device beside the host, as the code of an entry uses it: its memory holds
 * the weights, an arena and the caches of sequences. A kernel gets the part of
 * the block that its values begin in, as a buffer with one dimension more, of
 * stride 1, whose last index is where they begin. Functions return 0, or an
 * error code of Halide's; offsets are bytes. */
typedef struct transfold_device {
  const struct halide_device_interface_t *interface;
  transfold_memory weights, arena;
  /* Copies from the host to the arena, and back; the latter waits for all
   * kernels before. Where `more` is not 0 another upload follows before
   * anything else, and both may be one: the arena holds nothing else yet. */
  int32_t (*upload)(struct transfold_device *device, int64_t to,
                    const void *from, int64_t bytes, int64_t more);
  int32_t (*download)(struct transfold_device *device, void *to, int64_t from,
                      int64_t bytes);
  /* Copies within the device's memory, in order with kernels and without
   * waiting for them. Where `more` is not 0 another call follows before
   * anything else, and both may be one launch: no two overlap. */
  int32_t (*copy)(struct transfold_device *device, transfold_memory to_memory,
                  int64_t to, transfold_memory from_memory, int64_t from,
                  int64_t bytes, int64_t more);
  /* Of `rows` rows of `numbers` floats in the arena writes the place of the
   * largest to `places`, of equal ones the first. Where a row has NaN or
   * infinity, or is all -infinity, its place is -1, and all rows are copied to
   * `values`. Waits as `download` does. */
  int32_t (*largest)(struct transfold_device *device, int32_t *places,
                     void *values, int64_t from, int64_t rows, int64_t numbers);
  /* Kernels that are launched after this, until 0 is given, read nothing that
   * those of another `lane` write, from 1 on, and may run beside them. With 0
   * the next one runs after all of them. */
  int32_t (*beside)(struct transfold_device *device, int64_t lane);
} transfold_device;

/* Where a cache lies in the memory of a sequence, in bytes: the row of position
 * 0 of its first member, and from a member to the next. Where rows before a
 * window are not held, `begin` may be before the memory: only rows that are
 * held are read. */
typedef struct transfold_place {
  int64_t begin, stride;
} transfold_place;

/* What one sequence keeps. */
typedef struct transfold_sequence {
  uint8_t *memory;               /* null on a device */
  transfold_memory on_device;    /* null in the host's memory */
  const transfold_place *places; /* for each of the metadata's "caches" */
} transfold_sequence;

/* Told of each launch of a kernel after it, with the kernel's number. */
typedef struct transfold_watch {
  void (*launched)(struct transfold_watch *watch, uint32_t kernel);
} transfold_watch;

/* One call of an entry, for one sequence or several. All pointers are 64-byte
 * aligned. Integers are int32_t, reals are float; dense and row-major. An
 * argument or result with a length holds the rows of all sequences behind each
 * other, without padding: its axis with the length comes first in memory, then
 * the others in declared order. One without a length holds one entry for each
 * sequence. Values over pairs of positions lie behind each other too, each in
 * declared order. */
typedef struct transfold_frame {
  const uint8_t *weights;       /* start of the payload of the weights file */
  uint8_t *arena;               /* scratch of at least arena_bytes(…) */
  const void *const *arguments; /* in the order of the metadata */
  void *const *results;         /* in the order of the metadata */
  int64_t sequences;            /* at least 1 */
  /* For each of the entry's "lengths", then for each of its "products", a table
   * of sequences + 1 rising numbers from 0: where the rows of each sequence
   * begin, and where the last ends. */
  const int64_t *const *offsets;
  const void *const *kernels; /* of the variant that runs */
  transfold_device *device;   /* null: kernels work in the host's memory; else
                               * `weights` and `arena` are null */
  transfold_watch *watch;     /* null: nobody */
  /* For entries that go on with sequences: what each keeps. */
  const transfold_sequence *caches;
  /* Runs `calls` on all threads at once, with the same `values`; the parallel
   * loops of the kernels that it calls are shared by the threads, and none
   * waits for the others before all have returned. Of loop i a thread gets the
   * tasks that it got of loop i - 1 where bit i of `same_tasks` is set. Returns
   * 0, or the code that `calls` returned on a thread. */
  int32_t (*together)(int32_t (*calls)(void **values), void **values,
                      uint64_t same_tasks);
  /* Calls `call` with each of `count` lists of values, `stride` pointers apart,
   * each on one thread; null where sequences are too few to give every thread
   * one. Returns 0, or the code that `call` returned. */
  int32_t (*each)(int32_t (*call)(void **values), void **values, int64_t stride,
                  int64_t count);
  /* On a device, of a step whose first result is rows of numbers: null, or
   * where to put the place of the largest of each row. Then the result itself
   * comes only as `largest` of transfold_device says. */
  int32_t *likeliest;
} transfold_frame;

/* 0, or the error code of the kernel that failed. Kernels count the numbers of
 * a value with 32 bits: one with more is not computed. */
#define TRANSFOLD_TOO_LARGE                                                    \
  (-6) /* halide_error_code_buffer_extents_too_large */
typedef int32_t (*transfold_run)(const transfold_frame *frame);
/* Bytes of scratch for so many sequences with so many rows in all, for each of
 * the entry's lengths and products. */
typedef int64_t (*transfold_arena_bytes)(int64_t sequences,
                                         const int64_t *rows);

typedef struct transfold_entry {
  transfold_run run;
  transfold_arena_bytes arena_bytes;
} transfold_entry;

/* The kernels for one kind of processor. */
typedef struct transfold_variant {
  const char *name;           /* "avx512" */
  const char *target;         /* "x86-64-linux-avx-avx2-…": what it needs */
  const void *const *kernels; /* functions, as the entries number them */
} transfold_variant;

typedef struct transfold_blob {
  const char *data; /* null where the program has none */
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
 * Entries of a sequence's steps have "stage" ("begin", "step") and "stage_of".
 * The memory of a sequence is that of its "caches", each
 *   {"name": "decode.0", "length": "n", "members": 2, "row_numbers": 32,
 *    "row_bytes": 128},
 * where its transfold_place says, from a multiple of 64 bytes: for each member
 * a row for each of its length; of a null length there is one row. With
 * "window" w, a step that begins at position p reads no row before p - w + 1.
 * An entry's "work" is what its launches of a kernel, or of those "few_of" it,
 * have to do together: {"kernel": "…", "launches": 6, "weight_bytes": 3538944,
 * "operations": [[1769472, ["n"]]]}, where operations, multiplications and
 * additions, are a number times lengths; "n.seen" counts the rows of n and
 * those before them. Kernels whose work is no such sum are not there.
 * "products" are of lengths, by their number: [0, 0] has n · n rows for each
 * sequence. An axis of a shape is a number or the name of a length.
 * `entries[k]` belongs to entry k of the metadata.
 */
typedef struct transfold_program {
  uint32_t abi;
  uint32_t entry_count;
  const transfold_entry *entries;
  uint64_t variant_count;
  const transfold_variant *variants; /* the most able first */
  transfold_blob metadata;
  transfold_blob
      tokenizer; /* runtime/tokenizer/Tables.h; from a multiple of 8 */
  /* The template of conversations as a program, runtime/chat/Nodes.h. */
  transfold_blob chat_template;
  /* Of Halide's runtime; null: kernels work in the host's memory. */
  const struct halide_device_interface_t *(*device_interface)(void);
  /* Kernels beside those of the entries, which get buffers as these do. Null
   * where there is no device. */
  /* Copies words of one buffer into another. */
  int32_t (*copy_words)(struct halide_buffer_t *from,
                        struct halide_buffer_t *to);
  /* The same for a list of buffers of as many words each: TRANSFOLD_COPIES
   * that are copied from, then those that are copied to. The last dimension of
   * the latter has two places, and where they begin as its stride. */
  int32_t (*copy_several)(void **buffers);
  /* Of each piece of TRANSFOLD_LARGEST_OF numbers of a row (number, row), the
   * last of which may be shorter, the largest (piece, row): the float's bits,
   * in its order as an integer with NaN above all, in the upper half; in the
   * lower one UINT32_MAX less its place in the row, so that of equal ones the
   * first is the largest. The result has no dimension for where it begins. */
  int32_t (*largest)(struct halide_buffer_t *numbers,
                     struct halide_buffer_t *largest);
  /* The same model for another machine: runs where this one's device is not
   * there. Null: nothing does. */
  const struct transfold_program *next;
} transfold_program;

extern const transfold_program transfold_program_data;

#ifdef __cplusplus
}
#endif

#endif /* TRANSFOLD_RUNTIME_PROGRAM_PROGRAM_H */
