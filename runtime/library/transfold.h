/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiled models as a C library. This header is the same for all models. The
 * header of a model, NAME.h, declares one more function: NAME_model().
 *
 *   tfold_program    a model with its weights and its threads. Any number of
 *                    threads may call the functions that take a
 *                    const tfold_program at the same time.
 *   tfold_session    the state of one request at a time: its memory, its
 *                    caches, its error. A program may have any number of
 *                    sessions.
 *   tfold_result     the result of a request. It belongs to the caller and
 *                    outlives the session and the program.
 *
 * Texts are UTF-8. Functions that return tfold_status write their result to the
 * location that their last argument points to: null unless the function
 * succeeds or its description says otherwise. docs/library.md lists the arrays
 * of each function's results with their shapes, types and units.
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

/* Version of the binary interface of this header. It changes when a program
 * that was compiled with an older header would no longer work; pure additions
 * do not change it. */
#define TFOLD_ABI_VERSION 1u
/* Version of the binary interface of the library that the program runs with. */
TFOLD_API uint32_t tfold_abi_version(void);

/* --- Status and arrays -------------------------------------------------- */

typedef enum tfold_status {
  TFOLD_OK = 0,
  TFOLD_CANCELLED = 1,         /* requested by the caller; see tfold_cancel */
  TFOLD_ERROR_ARGUMENT = 2,    /* an argument has an invalid value */
  TFOLD_ERROR_UNSUPPORTED = 3, /* this model does not support the request */
  /* the weights or a recording: missing, damaged, or of another format */
  TFOLD_ERROR_FILE = 4,
  TFOLD_ERROR_MEMORY = 5,  /* out of memory */
  TFOLD_ERROR_MACHINE = 6, /* no kernels for this processor or device */
  TFOLD_ERROR_BUSY = 7,    /* the session is serving another request */
  TFOLD_ERROR_VERSION = 8, /* model and library do not fit together */
  TFOLD_ERROR_COMPUTE = 9, /* a kernel failed, or a result is NaN or infinite */
  TFOLD_ERROR_INTERNAL = 10 /* a bug in the library */
} tfold_status;

/* A short description of a status, such as "bad argument". Never null. */
TFOLD_API const char *tfold_status_text(tfold_status status);

/* Element types of arrays. */
typedef enum tfold_type {
  TFOLD_FLOAT32 = 0,
  TFOLD_FLOAT64 = 1,
  TFOLD_INT32 = 2,
  TFOLD_INT64 = 3,
  TFOLD_UINT8 = 4,
  TFOLD_BOOL = 5 /* one byte, 0 or 1 */
} tfold_type;

/* An array of elements of one type, dense and row-major. */
typedef struct tfold_array {
  const char *name; /* ends with a zero byte */
  tfold_type type;
  int32_t rank;
  const int64_t *shape; /* `rank` sizes */
  const void *data;
} tfold_array;

/* A text of `size` bytes; if `size` is TFOLD_TERMINATED, it ends before the
 * first zero byte. */
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

/* Options of tfold_open. Set all fields to zero, then set `size`; fields that
 * are zero have their default values. */
typedef struct tfold_open_options {
  size_t size; /* sizeof(tfold_open_options) */
  /* Path of the weights file, or of a folder with NAME.weights in it. Null:
   * NAME.weights in the folder of the library or executable that contains the
   * model. */
  const char *weights;
  /* Number of threads that compute, the caller's included. 0: the number of
   * processors. */
  int32_t threads;
} tfold_open_options;

/* Opens a model; `options` may be null. If it fails, `*program` is still set,
 * to a program that only serves tfold_open_error and tfold_close. `*program` is
 * null only for TFOLD_ERROR_MEMORY, for TFOLD_ERROR_VERSION, and if `model` is
 * null; `program` itself must not be null. */
TFOLD_API tfold_status tfold_open(const tfold_model *model,
                                  const tfold_open_options *options,
                                  tfold_program **program);
/* Why the model could not be opened; "" if it was opened. Valid until the
 * program is closed. */
TFOLD_API const char *tfold_open_error(const tfold_program *program);
/* Closes a program; all its sessions must have been freed before. Does nothing
 * for null. */
TFOLD_API void tfold_close(tfold_program *program);

/* Properties of a program, for tfold_number. */
typedef enum tfold_property {
  /* Maximum number of tokens, those of the prompt and the new ones together. 0:
   * the equations of the model set no limit. */
  TFOLD_CONTEXT_LENGTH = 0,
  TFOLD_VOCABULARY = 1,       /* number of token ids; 0: unknown */
  TFOLD_DIMENSIONS = 2,       /* elements of an embedding; 0: none */
  TFOLD_THREADS = 3,          /* number of threads that compute */
  TFOLD_WEIGHT_BYTES = 4,     /* size of the weights */
  TFOLD_HAS_TOKENIZER = 5,    /* 0 or 1 */
  TFOLD_HAS_CHAT_TEMPLATE = 6 /* 0 or 1 */
} tfold_property;

/* The value of a property; -1 if there is no such property. */
TFOLD_API int64_t tfold_number(const tfold_program *program,
                               tfold_property property);
/* Name of the architecture, such as "bert". This text and all texts returned
 * below are valid until the program is closed. */
TFOLD_API const char *tfold_name(const tfold_program *program);
/* Number of tasks, and the name of a task: "embed", "classify", "tag", "fill",
 * "generate", "translate", "transcribe", "chat" or "recognize"; null if `index`
 * is not below tfold_task_count. */
TFOLD_API size_t tfold_task_count(const tfold_program *program);
TFOLD_API const char *tfold_task(const tfold_program *program, size_t index);
/* Number and names of the classes of the tasks "classify" and "tag"; 0 and null
 * for other tasks. */
TFOLD_API size_t tfold_label_count(const tfold_program *program,
                                   const char *task);
TFOLD_API const char *tfold_label(const tfold_program *program,
                                  const char *task, size_t index);
/* All properties of the program as JSON: tasks, entries with their arguments,
 * results and shapes. */
TFOLD_API const char *tfold_metadata(const tfold_program *program);

/* --- Sessions ----------------------------------------------------------- */

/* Creates a session. This is cheap: memory is allocated by requests, kept for
 * later requests, and freed with the session. */
TFOLD_API tfold_status tfold_session_new(const tfold_program *program,
                                         tfold_session **session);
/* Frees a session; no request may be running. Does nothing for null. */
TFOLD_API void tfold_session_free(tfold_session *session);
/* Why the session's last request failed, as one sentence; "" if it did not
 * fail. Valid until the session's next request. */
TFOLD_API const char *tfold_error(const tfold_session *session);
/* Ends the running request before its next step, with TFOLD_CANCELLED; does
 * nothing if none is running. May be called by any thread. */
TFOLD_API void tfold_cancel(tfold_session *session);

/* --- Requests: texts and arrays ----------------------------------------- */

/* Splits texts into tokens. Result, for the tokens of all texts one after the
 * other: offsets int64 [count + 1], where each text's tokens begin; ids, types
 * (segments), special (1: not from the text) int32 [tokens]; begin, end int64
 * [tokens], the code points of the text that a token covers. Texts are not
 * truncated. */
TFOLD_API tfold_status tfold_tokenize(tfold_session *session,
                                      const tfold_text *texts, size_t count,
                                      tfold_result **result);
/* Decodes token ids to the text of the result, with special tokens or without.
 * Fails with TFOLD_ERROR_ARGUMENT for an id that the tokenizer does not have.
 */
TFOLD_API tfold_status tfold_detokenize(tfold_session *session,
                                        const int32_t *ids, size_t count,
                                        int32_t with_special,
                                        tfold_result **result);
/* Embeds texts. Result: embedding float32 [count, d]; tokens int64 [count], how
 * many were read; cut int64 [count], how many were left out at the end because
 * the model cannot read more. */
TFOLD_API tfold_status tfold_embed(tfold_session *session,
                                   const tfold_text *texts, size_t count,
                                   tfold_result **result);
/* The same for sequences of token ids, special tokens included, one after the
 * other in `ids`; `lengths` are their numbers of tokens, at least 1 each.
 * Sequences that are too long are an error. */
TFOLD_API tfold_status tfold_embed_ids(tfold_session *session,
                                       const int32_t *ids,
                                       const int64_t *lengths, size_t count,
                                       tfold_result **result);
/* Classifies texts. Result, for the `top` most likely classes of each text (0:
 * all) in descending order: class int32, score float64 [count, top]; scores are
 * probabilities, or the raw value if the model has only one class. */
TFOLD_API tfold_status tfold_classify(tfold_session *session,
                                      const tfold_text *texts, size_t count,
                                      size_t top, tfold_result **result);
/* Scores documents by their relevance to a query, with a model that returns one
 * value for two texts (a cross-encoder). Result, in the order of the documents:
 * score float64 [count], larger for more relevant ones; cut int64 [count], how
 * many tokens of the query and of the document, the longer one first, were left
 * out because the model cannot read more. */
TFOLD_API tfold_status tfold_rerank(tfold_session *session,
                                    const tfold_text *query,
                                    const tfold_text *documents, size_t count,
                                    tfold_result **result);
/* Classifies the tokens of texts. Result: offsets int64 [count + 1], where each
 * text's tokens begin; ids int32, begin, end int64 [tokens], code points of the
 * text; class int32, score float64 [tokens, top], as those of tfold_classify.
 */
TFOLD_API tfold_status tfold_tag(tfold_session *session,
                                 const tfold_text *texts, size_t count,
                                 size_t top, tfold_result **result);
/* Proposes tokens for the masks in texts. Result: offsets int64 [count + 1],
 * where each text's masks begin; place int64 [masks], the index of the mask
 * among the tokens of its text; ids int32, score float64 [masks, top], the
 * `top` most likely tokens (0: all) with their probabilities. */
TFOLD_API tfold_status tfold_fill(tfold_session *session,
                                  const tfold_text *texts, size_t count,
                                  size_t top, tfold_result **result);
/* Runs one entry, or, if `entry` is null, all entries whose arguments are
 * given. `inputs` are the arguments by their names, with the batch as first
 * axis; the results, float32, have the names of the entry's results. An input
 * attention_mask (ones, then zeros) truncates the sequences of input_ids to the
 * ones. */
TFOLD_API tfold_status tfold_run(tfold_session *session, const char *entry,
                                 const tfold_array *inputs, size_t count,
                                 tfold_result **result);

/* --- Requests: generation ----------------------------------------------- */

/* The new part of a result: some text, or some tokens whose text is not
 * determined yet. */
typedef struct tfold_piece {
  size_t size; /* sizeof(tfold_piece) in the library */
  tfold_text text;
  const int32_t *tokens;
  size_t token_count;
} tfold_piece;

/* Callback for new pieces, on the thread that made the request. Returns 0 to
 * continue; any other value cancels the request. It may call tfold_cancel, but
 * no other function of this session. */
typedef int32_t (*tfold_stream)(void *context, const tfold_piece *piece);

/* A number of sampling by its name, such as {"presence_penalty", 0.5}. The
 * names are those of the command line with _ for -; tfold_setting_name lists
 * them. */
typedef struct tfold_setting {
  const char *name;
  double value;
} tfold_setting;

/* Options of the requests that generate tokens; initialize them with
 * tfold_generate_options_init. */
typedef struct tfold_generate_options {
  size_t size; /* sizeof(tfold_generate_options) */
  /* Maximum number of new tokens; 0: 128, or 8192 for tfold_chat. */
  int64_t max_tokens;
  double temperature; /* 0: greedy, always the most likely token */
  /* The next three restrict the tokens that are sampled from. 0: no limit. */
  int64_t top_k;
  double top_p;              /* 1: no limit */
  double min_p;              /* 0: no limit */
  double repetition_penalty; /* 1: no penalty */
  uint64_t seed;
  /* Texts that end the result; they are not part of it. */
  const tfold_text *stop;
  size_t stop_count;
  const int32_t *end_tokens; /* none: those of the model */
  size_t end_token_count;
  const int32_t *suppress; /* token ids that are never generated */
  size_t suppress_count;
  /* For a model with an encoder, the tokens that the decoder begins with. None:
   * those of the model. */
  const int32_t *start;
  size_t start_count;
  int32_t ignore_end; /* 1: no token ends the result */
  /* Beam search: 1: end as soon as `beams` sequences have ended. */
  int32_t early_stopping;
  int64_t beams;         /* width of the beam search; 1: no beam search */
  double length_penalty; /* beam search: above 0 favors long sequences */
  int64_t chunk; /* tokens of a prompt per prefill run; 0: the default */
  int32_t log_probabilities; /* 1: return those of the generated tokens */
  int32_t reserved;
  tfold_stream stream; /* null: no callback */
  void *context;       /* passed to `stream` */
  /* Numbers of sampling by their names, in addition to the fields above, which
   * they override. A name that does not exist is an error. */
  const tfold_setting *settings;
  size_t setting_count;
} tfold_generate_options;

/* Sets the default values. `size` is sizeof(tfold_generate_options). */
TFOLD_API void tfold_generate_options_init(tfold_generate_options *options,
                                           size_t size);
/* The names that a tfold_setting may have, counted from 0; null after the last.
 * They are the same for all programs of one version. */
TFOLD_API const char *tfold_setting_name(size_t index);

/* Generates tokens that continue a text, or its translation. Result: the text
 * (if there is a tokenizer); tokens int32 [made]; prompt_tokens, reused_tokens
 * int64 [1]; and log_probabilities float64 [made] if requested, or score
 * float64 [1] of a beam search. Null options stand for the defaults. A
 * cancelled request returns the tokens generated so far and TFOLD_CANCELLED. */
TFOLD_API tfold_status tfold_generate(tfold_session *session,
                                      const tfold_text *text,
                                      const tfold_generate_options *options,
                                      tfold_result **result);
/* The same for token ids; needs no tokenizer. */
TFOLD_API tfold_status tfold_generate_ids(tfold_session *session,
                                          const int32_t *ids, size_t count,
                                          const tfold_generate_options *options,
                                          tfold_result **result);
/* The same for a model whose encoder reads real numbers, such as sound: an
 * array [1, …]. */
TFOLD_API tfold_status tfold_generate_array(
    tfold_session *session, const tfold_array *features,
    const tfold_generate_options *options, tfold_result **result);
/* Generates the answer to a conversation. `conversation` is JSON: a list of
 * messages, or an object with "messages" and the other variables of the chat
 * template ("tools"). The session keeps the KV cache: a request that extends
 * the previous conversation computes only the new tokens. No beam search. */
TFOLD_API tfold_status tfold_chat(tfold_session *session,
                                  const tfold_text *conversation,
                                  const tfold_generate_options *options,
                                  tfold_result **result);
/* The prompt that tfold_chat gives the model: a text, and ids int32 [tokens].
 */
TFOLD_API tfold_status tfold_chat_prompt(tfold_session *session,
                                         const tfold_text *conversation,
                                         tfold_result **result);

/* --- Requests: recordings ----------------------------------------------- */

/* Options of the transcription. Set all fields to zero, then set `size`. */
typedef struct tfold_transcribe_options {
  size_t size; /* sizeof(tfold_transcribe_options) */
  /* A language code, such as "de". Null: the language is detected. */
  const char *language;
  int32_t translate; /* 1: translate into English */
  /* 1: a timestamp for each segment, even if the recording is short; else a
   * short recording is one segment. */
  int32_t timestamps;
  int64_t beams; /* width of the beam search; 0: greedy */
} tfold_transcribe_options;

/* Transcribes speech. The text of the result is JSON: {"language", "duration",
 * "text", "segments": [{"start", "end", "text", "tokens", ...}]}, with times in
 * seconds. The samples are one channel, between -1 and 1, at `rate` samples per
 * second; 0: at the rate of the model. `options` may be null. */
TFOLD_API tfold_status tfold_transcribe(tfold_session *session,
                                        const float *samples, size_t count,
                                        int64_t rate,
                                        const tfold_transcribe_options *options,
                                        tfold_result **result);
/* The same for a WAV file; TFOLD_ERROR_FILE if it cannot be read. */
TFOLD_API tfold_status tfold_transcribe_file(
    tfold_session *session, const char *path,
    const tfold_transcribe_options *options, tfold_result **result);

/* --- Results ------------------------------------------------------------ */

/* Why the generation of tokens ended. */
typedef enum tfold_end {
  TFOLD_END_NONE = 0,     /* no tokens were generated by this request */
  TFOLD_END_TOKEN = 1,    /* the model generated an end token */
  TFOLD_END_STOP = 2,     /* a stop text was generated */
  TFOLD_END_LENGTH = 3,   /* the maximum number of tokens was reached */
  TFOLD_END_CANCELLED = 4 /* cancelled by the caller */
} tfold_end;

/* Number of arrays of the result. */
TFOLD_API size_t tfold_result_count(const tfold_result *result);
/* Fill `array` with the array of that index or name; its pointers are valid
 * until the result is freed. TFOLD_ERROR_ARGUMENT if there is no such array. */
TFOLD_API tfold_status tfold_result_array(const tfold_result *result,
                                          size_t index, tfold_array *array);
TFOLD_API tfold_status tfold_result_find(const tfold_result *result,
                                         const char *name, tfold_array *array);
/* The text of the result, zero-terminated, and its length in bytes without the
 * zero; null if the result has no text. `size` may be null. */
TFOLD_API const char *tfold_result_text(const tfold_result *result,
                                        size_t *size);
/* Why the generation ended; TFOLD_END_NONE for other requests. */
TFOLD_API tfold_end tfold_result_end(const tfold_result *result);
/* Frees a result. Does nothing for null. */
TFOLD_API void tfold_result_free(tfold_result *result);

#ifdef __cplusplus
}
#endif

#endif /* TRANSFOLD_H */
