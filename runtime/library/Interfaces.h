// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects to which the pointers of transfold.h point. A process may have
// several libraries, each with a runtime of its own, and the linker takes the
// functions of transfold.h from one of them. These functions only call the
// virtual functions below, so an object is always served by the library that
// created it. The order of the functions is part of TFOLD_ABI_VERSION; new
// functions are appended.

#pragma once

#include "runtime/library/transfold.h"

/// The value that NAME_model() returns a pointer to: a constant.
struct tfold_model {
  uint32_t abi; // TFOLD_ABI_VERSION
  tfold_status (*open)(const tfold_model *model,
                       const tfold_open_options *options,
                       tfold_program **program);
  const char *name; // of the library: NAME
};

/// The functions of transfold.h on programs.
struct tfold_program {
  virtual void close() = 0;
  virtual const char *openError() const = 0;
  virtual int64_t number(tfold_property property) const = 0;
  virtual const char *name() const = 0;
  virtual size_t taskCount() const = 0;
  virtual const char *task(size_t index) const = 0;
  virtual size_t labelCount(const char *task) const = 0;
  virtual const char *label(const char *task, size_t index) const = 0;
  virtual const char *metadata() const = 0;
  virtual tfold_status makeSession(tfold_session **session) const = 0;

protected:
  ~tfold_program() = default;
};

/// The functions of transfold.h on sessions.
struct tfold_session {
  virtual void free() = 0;
  virtual const char *error() const = 0;
  virtual void cancel() = 0;
  virtual tfold_status tokenize(const tfold_text *texts, size_t count,
                                tfold_result **result) = 0;
  virtual tfold_status detokenize(const int32_t *ids, size_t count,
                                  bool withSpecial, tfold_result **result) = 0;
  virtual tfold_status embed(const tfold_text *texts, size_t count,
                             tfold_result **result) = 0;
  virtual tfold_status embedIds(const int32_t *ids, const int64_t *lengths,
                                size_t count, tfold_result **result) = 0;
  virtual tfold_status classify(const tfold_text *texts, size_t count,
                                size_t top, tfold_result **result) = 0;
  virtual tfold_status tag(const tfold_text *texts, size_t count, size_t top,
                           tfold_result **result) = 0;
  virtual tfold_status fill(const tfold_text *texts, size_t count, size_t top,
                            tfold_result **result) = 0;
  virtual tfold_status run(const char *entry, const tfold_array *inputs,
                           size_t count, tfold_result **result) = 0;
  virtual tfold_status generate(const tfold_text *text,
                                const tfold_generate_options *options,
                                tfold_result **result) = 0;
  virtual tfold_status generateIds(const int32_t *ids, size_t count,
                                   const tfold_generate_options *options,
                                   tfold_result **result) = 0;
  virtual tfold_status generateArray(const tfold_array *features,
                                     const tfold_generate_options *options,
                                     tfold_result **result) = 0;
  virtual tfold_status chat(const tfold_text *conversation,
                            const tfold_generate_options *options,
                            tfold_result **result) = 0;
  virtual tfold_status chatPrompt(const tfold_text *conversation,
                                  tfold_result **result) = 0;
  virtual tfold_status transcribe(const float *samples, size_t count,
                                  int64_t rate,
                                  const tfold_transcribe_options *options,
                                  tfold_result **result) = 0;
  virtual tfold_status transcribeFile(const char *path,
                                      const tfold_transcribe_options *options,
                                      tfold_result **result) = 0;
  virtual tfold_status rerank(const tfold_text *query,
                              const tfold_text *documents, size_t count,
                              tfold_result **result) = 0;

protected:
  ~tfold_session() = default;
};

/// The functions of transfold.h on results.
struct tfold_result {
  virtual void free() = 0;
  virtual size_t count() const = 0;
  virtual bool array(size_t index, tfold_array *array) const = 0;
  virtual bool find(const char *name, tfold_array *array) const = 0;
  virtual const char *text(size_t *size) const = 0;
  virtual tfold_end end() const = 0;

protected:
  ~tfold_result() = default;
};
