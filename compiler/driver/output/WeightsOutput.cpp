// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/output/WeightsOutput.h"

#include "base/Error.h"
#include "base/files/FilesRead.h"
#include "base/files/Temporary.h"
#include "base/files/input/MappedFiles.h"
#include "base/files/output/FolderLock.h"
#include "base/text/Messages.h"
#include "runtime/weights/WeightsFile.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

using namespace transfold;
using namespace transfold::driver;

/// Throws Error if an input file changed during compilation: the output would
/// mix two versions.
static void failIfChanged() {
  if (auto path = changedFile())
    fail("{}: was changed during compilation; compile again when "
         "the file is complete",
         *path);
}

/// Warns of tensors with infinite scales, or scales that are NaN. Kernels treat
/// the exponent of such a scale like any other (finiteFloat16).
static void warnOfScales(const std::vector<std::string> &tensors) {
  if (tensors.empty())
    return;
  const size_t others = tensors.size() - 1;
  warn(fmt::format(
      "{}{} blocks whose scale is infinite or NaN: the program computes with "
      "a scale from 65536 to 131008 instead, and results that depend on "
      "these blocks are meaningless; fetch or convert the file again",
      tensors.front(),
      others == 0   ? " has"
      : others == 1 ? " and another tensor have"
                    : fmt::format(" and {} other tensors have", others)));
}

void driver::commitFiles(UncommittedFiles files) {
  failIfChanged();
  for (OutputFile *file : files)
    file->commit();
}

std::function<void(int64_t)> WeightsOutput::stepper() const {
  return [this, total = mebibytes()](int64_t bytes) {
    progress.step(bytes >> 20, total, "MiB");
  };
}

void WeightsOutput::embed(UncommittedFiles files, const std::string &output) {
  warnOfScales(weights::appendWeights(source.modules, source.checkpoint,
                                      *files.front(), source.hash,
                                      source.threads, stepper()));
  commitFiles(files);
  // Removes the weights of the program that was there before.
  if (std::string path = output + ".weights"; runtime::isWeightsFile(path))
    std::filesystem::remove(path);
}

std::string WeightsOutput::write(UncommittedFiles files,
                                 const std::string &path) {
  noteWritten(path); // existing weights are not an input
  std::optional<OutputFile> file;
  auto write = [&] {
    file.emplace(path);
    warnOfScales(weights::writeWeights(source.modules, source.checkpoint, *file,
                                       source.hash, source.threads, stepper()));
  };
  if (!weights::isWritten(source.modules, path, source.hash))
    write();
  // If another compilation to the same name runs, the result is either its two
  // files or ours. The lock is held briefly, not while weights are written.
  std::optional<FolderLock> lock;
  lock.emplace(path);
  if (!file && !weights::isStillWritten(source.modules, path, source.hash)) {
    lock.reset();
    write();
    lock.emplace(path);
  }
  failIfChanged();
  HoldSignals hold;
  if (file)
    file->commit();
  for (OutputFile *each : files)
    each->commit();
  return path + (file ? "" : ", unchanged");
}
