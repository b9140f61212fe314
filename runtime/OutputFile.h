// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is there completely or not at all.

#ifndef TRANSFOLD_RUNTIME_OUTPUTFILE_H
#define TRANSFOLD_RUNTIME_OUTPUTFILE_H

#include <string>
#include <string_view>

namespace transfold::runtime {

class OutputFile {
public:
  /// Opens a new file beside `path`. Throws Error, as all of these do.
  explicit OutputFile(const std::string &path);
  /// Removes the new file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(std::string_view bytes);
  /// Gives the file its name, in place of one that may have had it.
  void commit();

private:
  std::string path, temporary;
  int descriptor = -1;

  [[noreturn]] void failed();
};

/// Prints on standard output; throws Error when that fails, e.g. because the
/// disk is full.
void print(std::string_view text);
/// After the last `print`.
void flushPrinted();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_OUTPUTFILE_H
