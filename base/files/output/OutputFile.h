// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output file that appears completely or not at all.

#pragma once

#include "base/NonCopyable.h"
#include "base/files/GuardedFiles.h"
#include "base/files/Temporary.h"

#include <optional>
#include <string>
#include <string_view>

namespace transfold {

/// Writes one file, sequentially. The new content goes to a temporary file in
/// the same folder, which commit() renames: readers find the old file or the
/// new one, and nothing in between.
class OutputFile : NonCopyable {
public:
  /// Opens a new file next to `path`, or next to the target of its links. An
  /// existing object that is not a regular file (a device, a pipe, a file that
  /// another program has open as /dev/stdout) is never replaced: it is written
  /// directly. `mode` are the permissions of a new file, restricted by the
  /// umask. All functions throw Error; this one also if an input or another
  /// output would be lost (GuardedFiles.h), and if another user put the link
  /// into a folder that all may write to.
  explicit OutputFile(const std::string &path, unsigned mode = 0666);
  /// Removes the new file unless it was committed.
  ~OutputFile();

  /// The path as given.
  const std::string &name() const { return path; }
  /// Appends all bytes.
  void write(std::string_view bytes);
  /// Writes `bytes` zeros.
  void pad(size_t bytes);
  /// Number of bytes written so far.
  uint64_t size() const { return written; }
  /// Gives the file its name, replacing a file that may have it.
  void commit();

private:
  std::string path;
  std::string target; // the name that the new file gets; empty: no new file
  std::optional<OutputClaim> claim; // reserves that name
  std::optional<Temporary> temporary;
  /// Invalid (-1) after commit().
  int descriptor = -1;
  uint64_t written = 0;

  /// Reserves the name `target`, and creates the temporary file next to it.
  void makeNew(unsigned mode);
  /// Opens the existing object for writing, without a temporary file.
  void openAsItIs();
  /// Throws the Error of a system call that failed, by errno.
  [[noreturn]] void failed();
};

/// The target of `path` if it is a symbolic link, possibly via other links; the
/// target need not exist. Throws Error for circular links.
std::string followLinks(std::string path);

/// Gives the file `from` the name of the output `to`, on the same file system.
/// Throws Error as OutputFile does.
void replaceFile(const std::string &from, const std::string &to);

/// Whether `path` may be replaced: it is a regular file, or does not exist.
/// False for devices, pipes and folders.
bool isPlainFileOrNothing(const std::string &path);

/// Prints on standard output; throws Error if that fails, e.g. because the disk
/// is full. On a terminal, control characters are shown as escapes
/// (TerminalText.h); a file or a pipe gets the text unchanged.
void print(std::string_view text);
/// Flushes the printed text. Throws Error if that fails.
void flushPrinted();
/// Called after the last `print`: also prints an incomplete character.
void endPrinted();
/// `print` followed by `flushPrinted`, for output that the user waits for.
void printNow(std::string_view text);

} // namespace transfold
