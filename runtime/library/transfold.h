/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiled models as a C library. This header is the same for all models; the
 * header of a model, NAME.h, has one function more: NAME_model().
 *
 *   tfold_program    a model with its weights and its threads. All functions
 *                    that take a const tfold_program may be called by any
 *                    number of threads at once.
 *   tfold_session    what one request at a time works in: its memory, its
 *                    caches, its error. A program has as many as are wanted.
 *   tfold_result     what a request gave. It belongs to the caller and outlives
 *                    session and program.
 *
 * Texts are UTF-8. Functions that return tfold_status write their result
 * where their last argument points: null unless the status says otherwise.
 * docs/library.md has each function's arrays, with shapes and units.
 */

#ifndef TRANSFOLD_H
#define TRANSFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TFOLD_API __attribute__((visibility("default")))
#else
#define TFOLD_API
#endif

/* Of this header. It changes where a program that was compiled with an older
 * header would no longer work; what is only added does not change it. */
#define TFOLD_ABI_VERSION 1u
/* Of the library that the program runs with. */
TFOLD_API uint32_t tfold_abi_version(void);

/* --- Status and numbers ------------------------------------------------- */

typedef enum tfold_status {
  TFOLD_OK = 0,
  TFOLD_CANCELLED = 1,         /* as the caller asked; see tfold_cancel */
  TFOLD_ERROR_ARGUMENT = 2,    /* an argument cannot be what it is */
  TFOLD_ERROR_UNSUPPORTED = 3, /* this model cannot do it */
  TFOLD_ERROR_FILE = 4,    /* weights or a recording: missing, damaged, other */
  TFOLD_ERROR_MEMORY = 5,  /* there is not enough */
  TFOLD_ERROR_MACHINE = 6, /* no kernels for this processor or device */
  TFOLD_ERROR_BUSY = 7,    /* the session serves another request now */
  TFOLD_ERROR_VERSION = 8, /* model and library do not belong together */
  TFOLD_ERROR_COMPUTE = 9, /* a kernel failed, or gave what is no number */
  TFOLD_ERROR_INTERNAL = 10 /* a mistake in the library */
} tfold_status;

/* A few words about a status: "bad argument". Never null. */
TFOLD_API const char *tfold_status_text(tfold_status status);

typedef enum tfold_type {
  TFOLD_FLOAT32 = 0,
  TFOLD_FLOAT64 = 1,
  TFOLD_INT32 = 2,
  TFOLD_INT64 = 3,
  TFOLD_UINT8 = 4,
  TFOLD_BOOL = 5 /* a byte, 0 or 1 */
} tfold_type;

/* Numbers, dense and row-major. */
typedef struct tfold_array {
  const char *name; /* ends with a zero */
  tfold_type type;
  int32_t rank;
  const int64_t *shape; /* `rank` numbers */
  const void *data;
} tfold_array;

/* A text: so many bytes, or all before the first that is zero. */
#define TFOLD_TERMINATED SIZE_MAX
typedef struct tfold_text {
  const char *data;
  size_t size;
} tfold_text;

/* --- Programs ----------------------------------------------------------- */

typedef struct tfold_model tfold_model;
typedef struct tfold_program tfold_program;
typedef struct tfold_session tfold_session;
typedef struct tfold_result tfold_result;

/* Set all to zero, then `size`; what is zero is left to the library. */
typedef struct tfold_open_options {
  size_t size;         /* sizeof(tfold_open_options) */
  const char *weights; /* a file, or a folder with NAME.weights in it; null:
                        * NAME.weights beside the library or executable that
                        * has the model in it */
  int32_t threads;     /* that compute, the caller's among them; 0: as many as
                        * there are processors */
} tfold_open_options;

/* Opens a model; `options` may be null. Also where it fails it gives a program
 * (null only for TFOLD_ERROR_MEMORY and where `model` or `program` is null, or
 * for TFOLD_ERROR_VERSION), which says why and can only be closed. */
TFOLD_API tfold_status tfold_open(const tfold_model *model,
                                  const tfold_open_options *options,
                                  tfold_program **program);
/* Why it could not be opened: "" where it could. Lives as the program. */
TFOLD_API const char *tfold_open_error(const tfold_program *program);
/* Behind the last of its sessions. Null is nothing to close. */
TFOLD_API void tfold_close(tfold_program *program);

typedef enum tfold_property {
  TFOLD_CONTEXT_LENGTH = 0,   /* tokens that it can have; 0: the equations
                               * of the model set no limit */
  TFOLD_VOCABULARY = 1,       /* ids are below it; 0: unknown */
  TFOLD_DIMENSIONS = 2,       /* of an embedding; 0: it makes none */
  TFOLD_THREADS = 3,          /* that compute */
  TFOLD_WEIGHT_BYTES = 4,     /* */
  TFOLD_HAS_TOKENIZER = 5,    /* 0 or 1 */
  TFOLD_HAS_CHAT_TEMPLATE = 6 /* 0 or 1 */
} tfold_property;

/* -1 where there is no such property. */
TFOLD_API int64_t tfold_number(const tfold_program *program,
                               tfold_property property);
/* What the architecture is called: "bert". All of these texts live as the
 * program. */
TFOLD_API const char *tfold_name(const tfold_program *program);
/* "embed", "classify", "tag", "fill", "generate", "translate", "transcribe",
 * "chat"; null from tfold_task_count on. */
TFOLD_API size_t tfold_task_count(const tfold_program *program);
TFOLD_API const char *tfold_task(const tfold_program *program, size_t index);
/* The classes of `classify` and `tag`; null and 0 for other tasks. */
TFOLD_API size_t tfold_label_count(const tfold_program *program,
                                   const char *task);
TFOLD_API const char *tfold_label(const tfold_program *program,
                                  const char *task, size_t index);
/* All that is known, as JSON: tasks, entries with arguments, results, shapes.
 */
TFOLD_API const char *tfold_metadata(const tfold_program *program);

/* --- Sessions ----------------------------------------------------------- */

/* Cheap; memory comes with requests, is kept for the next, and goes with the
 * session. */
TFOLD_API tfold_status tfold_session_new(const tfold_program *program,
                                         tfold_session **session);
/* Not while a request runs. Null is nothing to free. */
TFOLD_API void tfold_session_free(tfold_session *session);
/* Why the session's last request failed, in a sentence; "" where it did not.
 * Until its next request. */
TFOLD_API const char *tfold_error(const tfold_session *session);
/* Ends the request that runs now, between two steps, with TFOLD_CANCELLED; does
 * nothing where none runs. Any thread may call it. */
TFOLD_API void tfold_cancel(tfold_session *session);

/* --- Requests: texts and arrays ----------------------------------------- */

/* offsets: [count + 1]; ids, types, begin, end, special: [tokens] of all texts
 */
TFOLD_API tfold_status tfold_tokenize(tfold_session *session,
                                      const tfold_text *texts, size_t count,
                                      tfold_result **result);
/* The text of ids, with special tokens or without. */
TFOLD_API tfold_status tfold_detokenize(tfold_session *session,
                                        const int32_t *ids, size_t count,
                                        int32_t with_special,
                                        tfold_result **result);
/* embedding: [count, d]; tokens, cut: [count] */
TFOLD_API tfold_status tfold_embed(tfold_session *session,
                                   const tfold_text *texts, size_t count,
                                   tfold_result **result);
/* The same of ids, those of each sequence behind the other. */
TFOLD_API tfold_status tfold_embed_ids(tfold_session *session,
                                       const int32_t *ids,
                                       const int64_t *lengths, size_t count,
                                       tfold_result **result);
/* class, score: [count, top] */
TFOLD_API tfold_status tfold_classify(tfold_session *session,
                                      const tfold_text *texts, size_t count,
                                      size_t top, tfold_result **result);
/* offsets: [count + 1]; ids, begin, end: [tokens]; class, score: [tokens, top]
 */
TFOLD_API tfold_status tfold_tag(tfold_session *session,
                                 const tfold_text *texts, size_t count,
                                 size_t top, tfold_result **result);
/* offsets: [count + 1]; place: [masks]; ids, score: [masks, top] */
TFOLD_API tfold_status tfold_fill(tfold_session *session,
                                  const tfold_text *texts, size_t count,
                                  size_t top, tfold_result **result);
/* Any entry, or with a null name all that have their arguments: arrays by the
 * names of their arguments, the batch as their first axis, to the results by
 * theirs. An array attention_mask cuts input_ids to its ones. */
TFOLD_API tfold_status tfold_run(tfold_session *session, const char *entry,
                                 const tfold_array *inputs, size_t count,
                                 tfold_result **result);

/* --- Requests: tokens that are made ------------------------------------- */

/* What is new: some text, or some tokens of which no text is certain yet. */
typedef struct tfold_piece {
  size_t size; /* sizeof(tfold_piece) of the library */
  tfold_text text;
  const int32_t *tokens;
  size_t token_count;
} tfold_piece;

/* Called on the thread that asked. Returns 0 to go on, else the request is
 * cancelled. May call tfold_cancel, and nothing else of this session. */
typedef int32_t (*tfold_stream)(void *context, const tfold_piece *piece);

typedef struct tfold_generate_options {
  size_t size;               /* sizeof(tfold_generate_options) */
  int64_t max_tokens;        /* 0: 128; for tfold_chat 8192 */
  double temperature;        /* 0: the likeliest, always */
  int64_t top_k;             /* these three cut what is drawn from: 0: all */
  double top_p;              /* 1: all */
  double min_p;              /* 0: all */
  double repetition_penalty; /* 1: none */
  uint64_t seed;
  const tfold_text *stop; /* texts that end what is made, and are left out */
  size_t stop_count;
  const int32_t *end_tokens; /* none: the model's */
  size_t end_token_count;
  const int32_t *suppress; /* tokens that are never made */
  size_t suppress_count;
  const int32_t *start; /* behind an encoder; none: the model's */
  size_t start_count;
  int32_t ignore_end;        /* 1: no token ends it */
  int32_t early_stopping;    /* of beams: 1: when as many have ended */
  int64_t beams;             /* 1: none */
  double length_penalty;     /* of beams: above 0 favours long ones */
  int64_t chunk;             /* tokens of a prompt read at once; 0: the usual */
  int32_t log_probabilities; /* 1: of each token */
  int32_t reserved;
  tfold_stream stream; /* null: nobody */
  void *context;       /* for `stream` */
} tfold_generate_options;

/* What is usual. `size` is sizeof(tfold_generate_options). */
TFOLD_API void tfold_generate_options_init(tfold_generate_options *options,
                                           size_t size);

/* All of these give a text (where there is a tokenizer), tokens: [made],
 * prompt_tokens, reused_tokens: [1], and log_probabilities: [made] or score:
 * [1] where there are. With null options, what is usual. Cancelled, they give
 * what was made so far, and TFOLD_CANCELLED. */
TFOLD_API tfold_status tfold_generate(tfold_session *session,
                                      const tfold_text *text,
                                      const tfold_generate_options *options,
                                      tfold_result **result);
TFOLD_API tfold_status tfold_generate_ids(tfold_session *session,
                                          const int32_t *ids, size_t count,
                                          const tfold_generate_options *options,
                                          tfold_result **result);
/* Of a model whose encoder reads numbers, such as sound: [1, …]. */
TFOLD_API tfold_status tfold_generate_array(
    tfold_session *session, const tfold_array *features,
    const tfold_generate_options *options, tfold_result **result);
/* Answers a conversation, JSON: a list of messages, or an object with
 * "messages" and what else the template asks for ("tools"). The session keeps
 * its tokens: one that goes on with it computes only what is new. */
TFOLD_API tfold_status tfold_chat(tfold_session *session,
                                  const tfold_text *conversation,
                                  const tfold_generate_options *options,
                                  tfold_result **result);
/* What the model would read: a text, and ids: [tokens]. */
TFOLD_API tfold_status tfold_chat_prompt(tfold_session *session,
                                         const tfold_text *conversation,
                                         tfold_result **result);

/* --- Requests: recordings ----------------------------------------------- */

/* Set all to zero, then `size`. */
typedef struct tfold_transcribe_options {
  size_t size;          /* sizeof(tfold_transcribe_options) */
  const char *language; /* a code, such as "de"; null: the one that is heard */
  int32_t translate;    /* 1: into English */
  int32_t timestamps;   /* 1: of each piece of text, however short it is */
  int64_t beams;        /* 0: the likeliest token, always */
} tfold_transcribe_options;

/* What is said, as a text in JSON: {"language", "duration", "text", "segments":
 * [{"start", "end", "text", "tokens", ...}]}, times in seconds. The samples are
 * of one channel, between -1 and 1, `rate` of them a second; 0: as the model
 * hears. `options` may be null. */
TFOLD_API tfold_status tfold_transcribe(tfold_session *session,
                                        const float *samples, size_t count,
                                        int64_t rate,
                                        const tfold_transcribe_options *options,
                                        tfold_result **result);
/* The same of a WAV file. */
TFOLD_API tfold_status tfold_transcribe_file(
    tfold_session *session, const char *path,
    const tfold_transcribe_options *options, tfold_result **result);

/* --- Results ------------------------------------------------------------ */

typedef enum tfold_end {
  TFOLD_END_NONE = 0,     /* nothing was made */
  TFOLD_END_TOKEN = 1,    /* the model ended it */
  TFOLD_END_STOP = 2,     /* a stop text came */
  TFOLD_END_LENGTH = 3,   /* as many tokens as there may be */
  TFOLD_END_CANCELLED = 4 /* by the caller */
} tfold_end;

TFOLD_API size_t tfold_result_count(const tfold_result *result);
/* Fills `array`; its pointers live as the result. TFOLD_ERROR_ARGUMENT where
 * there is none. */
TFOLD_API tfold_status tfold_result_array(const tfold_result *result,
                                          size_t index, tfold_array *array);
TFOLD_API tfold_status tfold_result_find(const tfold_result *result,
                                         const char *name, tfold_array *array);
/* Ends with a zero, which `size` does not count; null where there is no text.
 * `size` may be null. */
TFOLD_API const char *tfold_result_text(const tfold_result *result,
                                        size_t *size);
TFOLD_API tfold_end tfold_result_end(const tfold_result *result);
TFOLD_API void tfold_result_free(tfold_result *result);

#ifdef __cplusplus
}
#endif

#endif /* TRANSFOLD_H */
