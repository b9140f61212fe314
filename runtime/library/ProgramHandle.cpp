// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a model stage by stage, each with the status that its errors mean for
// the caller, and answers questions from constants that live as long as the
// program.

#include "runtime/library/ProgramHandle.h"

#include "runtime/library/Describe.h"
#include "runtime/library/GivenOptions.h"
#include "runtime/library/Location.h"
#include "runtime/library/SessionHandle.h"
#include "runtime/tasks/text/Labels.h"

#include <algorithm>
#include <new>
#include <thread>

namespace transfold::runtime::inline library {

namespace {

/// Limit for the caller's number, and for that of the processors.
constexpr int32_t mostThreads = 1024;

/// The caller's options, checked; defaults for missing fields.
tfold_open_options fullOptions(const tfold_open_options *given) {
  tfold_open_options options =
      copyOf(given, "the options' size is {}: set it to "
                    "sizeof(tfold_open_options)");
  if (options.threads < 0 || options.threads > mostThreads)
    failWith(TFOLD_ERROR_ARGUMENT, "threads is {}; it can be 0 to {}",
             options.threads, mostThreads);
  return options;
}

/// Runs a stage of opening; plain Errors thrown in it get the status
/// `otherwise`.
template <typename Part> void during(tfold_status otherwise, Part part) {
  try {
    part();
  } catch (...) {
    std::string text;
    tfold_status status = describeException(text, otherwise);
    throw Failure(status, text);
  }
}

/// Names of the classes of a task; empty if their number is not fixed.
std::vector<std::string> labelsOf(const Metadata &metadata, const Task &task) {
  const Entry &entry = metadata.entries[metadata.entry(task.entries[0])];
  if (entry.results.empty() || entry.results[0].shape.empty())
    return {};
  const Axis &classes = entry.results[0].shape.back();
  if (classes.length >= 0 || classes.size < 1)
    return {};
  return Labels(task, static_cast<size_t>(classes.size)).all();
}

} // namespace

void ProgramHandle::start(const tfold_model &model,
                          const tfold_open_options &options) {
  during(TFOLD_ERROR_VERSION, [&] {
    program.emplace(transfold_program_data,
                    weightsPath(model, options.weights));
  });
  during(TFOLD_ERROR_FILE, [&] { program->weights(); });
  during(TFOLD_ERROR_MACHINE, [&] {
    program->variant();
    program->deviceWeights();
  });
  unsigned count = options.threads
                       ? static_cast<unsigned>(options.threads)
                       : std::max(1U, std::thread::hardware_concurrency());
  during(TFOLD_ERROR_MEMORY,
         [&] { threads.setThreads(std::min(count, unsigned{mostThreads})); });
  for (const Task &task : program->metadata().tasks)
    if (task.kind == "classify" || task.kind == "tag")
      labels[task.kind] = labelsOf(program->metadata(), task);
  description = describe(*program);
}

tfold_status ProgramHandle::open(const tfold_model &model,
                                 const tfold_open_options *options) noexcept {
  try {
    start(model, fullOptions(options));
    isOpen = true;
    return TFOLD_OK;
  } catch (...) {
    return describeException(problem, TFOLD_ERROR_ARGUMENT);
  }
}

int64_t ProgramHandle::number(tfold_property property) const {
  if (!isOpen)
    return -1;
  switch (property) {
  case TFOLD_CONTEXT_LENGTH:
    return contextLength(program->metadata());
  case TFOLD_VOCABULARY:
    return vocabulary(program->metadata());
  case TFOLD_DIMENSIONS:
    return dimensions(program->metadata());
  case TFOLD_THREADS:
    return threads.threads();
  case TFOLD_WEIGHT_BYTES:
    return static_cast<int64_t>(program->metadata().weightsBytes);
  case TFOLD_HAS_TOKENIZER:
    return !program->tokenizerTables().empty();
  case TFOLD_HAS_CHAT_TEMPLATE:
    return !program->chatTemplate().empty();
  }
  return -1;
}

const char *ProgramHandle::name() const {
  return isOpen ? program->metadata().model.c_str() : "";
}

size_t ProgramHandle::taskCount() const {
  return isOpen ? program->metadata().tasks.size() : 0;
}

const char *ProgramHandle::task(size_t index) const {
  return index < taskCount() ? program->metadata().tasks[index].kind.c_str()
                             : nullptr;
}

size_t ProgramHandle::labelCount(const char *task) const {
  auto found = labels.find(std::string_view(task));
  return found == labels.end() ? 0 : found->second.size();
}

const char *ProgramHandle::label(const char *task, size_t index) const {
  return index < labelCount(task)
             ? labels.find(std::string_view(task))->second[index].c_str()
             : nullptr;
}

tfold_status ProgramHandle::makeSession(tfold_session **session) const {
  if (!isOpen)
    return TFOLD_ERROR_ARGUMENT;
  *session = new (std::nothrow) SessionHandle(*this);
  return *session ? TFOLD_OK : TFOLD_ERROR_MEMORY;
}

} // namespace transfold::runtime::inline library
