// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object to which a tfold_program points.

#pragma once

#include "runtime/kernels/ThreadPool.h"
#include "runtime/library/Interfaces.h"
#include "runtime/program/LoadedProgram.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::inline library {

/// Implements tfold_program: one opened model with its threads.
class ProgramHandle final : public tfold_program {
public:
  /// Opens the model and returns the status. If it fails, the message is kept,
  /// and only openError() and close() may be called afterwards.
  tfold_status open(const tfold_model &model,
                    const tfold_open_options *options) noexcept;

  /// For a program that was opened successfully. The state that sessions share
  /// is immutable, except for the thread pool, which has a lock.
  const LoadedProgram &loaded() const { return *program; }
  ThreadPool &pool() const { return threads; }

  void close() override { delete this; }
  const char *openError() const override { return problem.c_str(); }
  int64_t number(tfold_property property) const override;
  const char *name() const override;
  size_t taskCount() const override;
  const char *task(size_t index) const override;
  size_t labelCount(const char *task) const override;
  const char *label(const char *task, size_t index) const override;
  const char *metadata() const override { return description.c_str(); }
  tfold_status makeSession(tfold_session **session) const override;

private:
  /// Why the model could not be opened; empty otherwise.
  std::string problem;
  std::optional<LoadedProgram> program;
  mutable ThreadPool threads;
  std::string description = "{}";
  /// Names of classes by task: pointers to them are returned to callers.
  std::map<std::string, std::vector<std::string>, std::less<>> labels;
  bool isOpen = false;

  /// Opens the model. Throws Failure.
  void start(const tfold_model &model, const tfold_open_options &options);
};

} // namespace transfold::runtime::inline library
