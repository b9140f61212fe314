// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is there completely or not at all.

#ifndef TRANSFOLD_RUNTIME_FILES_OUTPUTFILE_H
#define TRANSFOLD_RUNTIME_FILES_OUTPUTFILE_H

#include "runtime/files/GuardedFiles.h"
#include "runtime/files/Temporary.h"

#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime {

class OutputFile {
public:
  /// Opens a new file beside `path`, or beside where its links lead. What is
  /// there and no plain file (a device, a pipe, what another program has open
  /// and calls /dev/stdout) is never replaced: it is written to at once.
  /// `mode` are the rights of a new file, less what the user's mask takes.
  /// Throws Error, as all of these do: also where an input would be lost, or
  /// another output (GuardedFiles.h), and where a link was put by another user
  /// into a folder that all may write to.
  explicit OutputFile(const std::string &path, unsigned mode = 0666);
  /// Removes the new file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// As it was given.
  const std::string &name() const { return path; }
  void write(std::string_view bytes);
  /// So many zeros.
  void pad(size_t bytes);
  /// Bytes written so far.
  uint64_t size() const { return written; }
  /// Gives the file its name, in place of one that may have had it.
  void commit();

private:
  std::string path;
  std::string target; // the name that the new file gets; empty: there is none
  std::optional<OutputClaim> claim; // on that name
  std::optional<Temporary> temporary;
  int descriptor = -1;
  uint64_t written = 0;

  void makeNew(unsigned mode);
  void openAsItIs();
  [[noreturn]] void failed();
};

/// Where `path` leads if it is a symbolic link, perhaps to others; a file need
/// not be there. Throws Error where links lead in a circle.
std::string followLinks(std::string path);

/// Gives the file `from` the name of the output `to`, on the same file system.
/// Throws Error as OutputFile does.
void replaceFile(const std::string &from, const std::string &to);

/// What may be replaced: a plain file, or nothing. False for devices, pipes and
/// folders.
bool isPlainFileOrNothing(const std::string &path);

/// Prints on standard output; throws Error when that fails, e.g. because the
/// disk is full. On a terminal, what would control it is shown as escapes
/// (TerminalText.h); a file or a pipe gets the text as it is.
void print(std::string_view text);
void flushPrinted();
/// After the last `print`: also shows a character that never became complete.
void endPrinted();
/// What somebody waits for: `print`, and `flushPrinted`.
void printNow(std::string_view text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_OUTPUTFILE_H
