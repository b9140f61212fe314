// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of transfold.h. They have no state, do not use the C++ library,
// and throw nothing: if a process has several libraries, the functions of any
// one of them serve all (Interfaces.h).

#include "runtime/library/Interfaces.h"
#include "runtime/steps/sampling/SamplingOptions.h"

/// What a request returns for a null session: there is no result and no
/// message.
static tfold_status withoutSession(tfold_result **result) {
  if (result)
    *result = nullptr;
  return TFOLD_ERROR_ARGUMENT;
}

extern "C" {

uint32_t tfold_abi_version(void) { return TFOLD_ABI_VERSION; }

const char *tfold_status_text(tfold_status status) {
  switch (status) {
  case TFOLD_OK:
    return "done";
  case TFOLD_CANCELLED:
    return "cancelled";
  case TFOLD_ERROR_ARGUMENT:
    return "bad argument";
  case TFOLD_ERROR_UNSUPPORTED:
    return "not supported by this model";
  case TFOLD_ERROR_FILE:
    return "the weights cannot be used";
  case TFOLD_ERROR_MEMORY:
    return "out of memory";
  case TFOLD_ERROR_MACHINE:
    return "not for this processor or device";
  case TFOLD_ERROR_BUSY:
    return "the session is in use";
  case TFOLD_ERROR_VERSION:
    return "model and library do not belong together";
  case TFOLD_ERROR_COMPUTE:
    return "it could not be computed";
  case TFOLD_ERROR_INTERNAL:
    return "a mistake in the library";
  }
  return "unknown status";
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

tfold_status tfold_open(const tfold_model *model,
                        const tfold_open_options *options,
                        tfold_program **program) {
  if (program)
    *program = nullptr;
  if (!model || !program)
    return TFOLD_ERROR_ARGUMENT;
  if (model->abi != TFOLD_ABI_VERSION)
    return TFOLD_ERROR_VERSION;
  return model->open(model, options, program);
}

const char *tfold_open_error(const tfold_program *program) {
  return program ? program->openError() : "";
}

void tfold_close(tfold_program *program) {
  if (program)
    program->close();
}

int64_t tfold_number(const tfold_program *program, tfold_property property) {
  return program ? program->number(property) : -1;
}

const char *tfold_name(const tfold_program *program) {
  return program ? program->name() : "";
}

size_t tfold_task_count(const tfold_program *program) {
  return program ? program->taskCount() : 0;
}

const char *tfold_task(const tfold_program *program, size_t index) {
  return program ? program->task(index) : nullptr;
}

size_t tfold_label_count(const tfold_program *program, const char *task) {
  return program && task ? program->labelCount(task) : 0;
}

const char *tfold_label(const tfold_program *program, const char *task,
                        size_t index) {
  return program && task ? program->label(task, index) : nullptr;
}

const char *tfold_metadata(const tfold_program *program) {
  return program ? program->metadata() : "{}";
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

tfold_status tfold_session_new(const tfold_program *program,
                               tfold_session **session) {
  if (session)
    *session = nullptr;
  return program && session ? program->makeSession(session)
                            : TFOLD_ERROR_ARGUMENT;
}

void tfold_session_free(tfold_session *session) {
  if (session)
    session->free();
}

const char *tfold_error(const tfold_session *session) {
  return session ? session->error() : "there is no session";
}

void tfold_cancel(tfold_session *session) {
  if (session)
    session->cancel();
}

tfold_status tfold_tokenize(tfold_session *session, const tfold_text *texts,
                            size_t count, tfold_result **result) {
  return session ? session->tokenize(texts, count, result)
                 : withoutSession(result);
}

tfold_status tfold_detokenize(tfold_session *session, const int32_t *ids,
                              size_t count, int32_t with_special,
                              tfold_result **result) {
  return session ? session->detokenize(ids, count, with_special != 0, result)
                 : withoutSession(result);
}

tfold_status tfold_embed(tfold_session *session, const tfold_text *texts,
                         size_t count, tfold_result **result) {
  return session ? session->embed(texts, count, result)
                 : withoutSession(result);
}

tfold_status tfold_embed_ids(tfold_session *session, const int32_t *ids,
                             const int64_t *lengths, size_t count,
                             tfold_result **result) {
  return session ? session->embedIds(ids, lengths, count, result)
                 : withoutSession(result);
}

tfold_status tfold_classify(tfold_session *session, const tfold_text *texts,
                            size_t count, size_t top, tfold_result **result) {
  return session ? session->classify(texts, count, top, result)
                 : withoutSession(result);
}

tfold_status tfold_rerank(tfold_session *session, const tfold_text *query,
                          const tfold_text *documents, size_t count,
                          tfold_result **result) {
  return session ? session->rerank(query, documents, count, result)
                 : withoutSession(result);
}

tfold_status tfold_tag(tfold_session *session, const tfold_text *texts,
                       size_t count, size_t top, tfold_result **result) {
  return session ? session->tag(texts, count, top, result)
                 : withoutSession(result);
}

tfold_status tfold_fill(tfold_session *session, const tfold_text *texts,
                        size_t count, size_t top, tfold_result **result) {
  return session ? session->fill(texts, count, top, result)
                 : withoutSession(result);
}

tfold_status tfold_run(tfold_session *session, const char *entry,
                       const tfold_array *inputs, size_t count,
                       tfold_result **result) {
  return session ? session->run(entry, inputs, count, result)
                 : withoutSession(result);
}

tfold_status tfold_generate(tfold_session *session, const tfold_text *text,
                            const tfold_generate_options *options,
                            tfold_result **result) {
  return session ? session->generate(text, options, result)
                 : withoutSession(result);
}

tfold_status tfold_generate_ids(tfold_session *session, const int32_t *ids,
                                size_t count,
                                const tfold_generate_options *options,
                                tfold_result **result) {
  return session ? session->generateIds(ids, count, options, result)
                 : withoutSession(result);
}

tfold_status tfold_generate_array(tfold_session *session,
                                  const tfold_array *features,
                                  const tfold_generate_options *options,
                                  tfold_result **result) {
  return session ? session->generateArray(features, options, result)
                 : withoutSession(result);
}

tfold_status tfold_chat(tfold_session *session, const tfold_text *conversation,
                        const tfold_generate_options *options,
                        tfold_result **result) {
  return session ? session->chat(conversation, options, result)
                 : withoutSession(result);
}

tfold_status tfold_chat_prompt(tfold_session *session,
                               const tfold_text *conversation,
                               tfold_result **result) {
  return session ? session->chatPrompt(conversation, result)
                 : withoutSession(result);
}

tfold_status tfold_transcribe(tfold_session *session, const float *samples,
                              size_t count, int64_t rate,
                              const tfold_transcribe_options *options,
                              tfold_result **result) {
  return session ? session->transcribe(samples, count, rate, options, result)
                 : withoutSession(result);
}

tfold_status tfold_transcribe_file(tfold_session *session, const char *path,
                                   const tfold_transcribe_options *options,
                                   tfold_result **result) {
  return session ? session->transcribeFile(path, options, result)
                 : withoutSession(result);
}

void tfold_generate_options_init(tfold_generate_options *options, size_t size) {
  if (!options)
    return;
  tfold_generate_options usual = {};
  usual.size = size;
  usual.top_p = usual.repetition_penalty = usual.length_penalty = 1;
  usual.beams = 1;
  // The caller's header may be older or newer than this one.
  auto *to = reinterpret_cast<unsigned char *>(options);
  auto *from = reinterpret_cast<const unsigned char *>(&usual);
  for (size_t i = 0; i < size; ++i)
    to[i] = i < sizeof usual ? from[i] : 0;
}

const char *tfold_setting_name(size_t index) {
  const char *name = nullptr;
  transfold::runtime::forEachSamplingField([&](const auto &field, size_t i) {
    if (i == index)
      name = field.name;
  });
  return name;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

size_t tfold_result_count(const tfold_result *result) {
  return result ? result->count() : 0;
}

tfold_status tfold_result_array(const tfold_result *result, size_t index,
                                tfold_array *array) {
  return result && array && result->array(index, array) ? TFOLD_OK
                                                        : TFOLD_ERROR_ARGUMENT;
}

tfold_status tfold_result_find(const tfold_result *result, const char *name,
                               tfold_array *array) {
  return result && name && array && result->find(name, array)
             ? TFOLD_OK
             : TFOLD_ERROR_ARGUMENT;
}

const char *tfold_result_text(const tfold_result *result, size_t *size) {
  if (size)
    *size = 0;
  return result ? result->text(size) : nullptr;
}

tfold_end tfold_result_end(const tfold_result *result) {
  return result ? result->end() : TFOLD_END_NONE;
}

void tfold_result_free(tfold_result *result) {
  if (result)
    result->free();
}

} // extern "C"
