// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the weights of a program, into it or into a file beside it, and
// renames them and the program's files into place together.

#pragma once

#include "base/files/output/OutputFile.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/weights/WriteWeights.h"

#include <functional>
#include <span>
#include <string>

namespace transfold::driver {

/// The weights of a program.
struct ProgramWeights {
  weights::Modules modules;
  const checkpoint::Checkpoint &checkpoint;
  const std::string &hash; // of the program
  unsigned threads;        // that pack them
};

/// Files that were written and are not yet renamed into place, in the order in
/// which they will be.
using UncommittedFiles = std::span<OutputFile *const>;

/// Renames `files` into place. Throws Error if an input file changed during
/// compilation: the output would mix two versions.
void commitFiles(UncommittedFiles files);

/// Writes weights, and commits them with the files of their program. Both
/// functions throw std::exception, also if an input file changed during
/// compilation.
class WeightsOutput {
public:
  WeightsOutput(const ProgramWeights &source, Progress &progress)
      : source(source), progress(progress) {}

  int64_t mebibytes() const {
    return weights::payloadBytes(source.modules) >> 20;
  }

  /// Appends the weights to the first of `files`, an executable for the path
  /// `output`, and commits the files. Removes the weights of the program that
  /// was there before.
  void embed(UncommittedFiles files, const std::string &output);

  /// Writes the weights to `path`, unless it contains them already; then
  /// commits them and `files`. Returns a description of the place.
  std::string write(UncommittedFiles files, const std::string &path);

private:
  std::function<void(int64_t)> stepper() const;

  ProgramWeights source;
  Progress &progress;
};

} // namespace transfold::driver
