// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the license of a model, as untrusted text.

#include "compiler/driver/model/ModelLicence.h"

#include "base/files/FilesRead.h"
#include "base/files/input/FileMapping.h"
#include "base/text/Messages.h"
#include "compiler/checkpoint/Directory.h"

#include <fmt/format.h>
#include <llvm/Support/ConvertUTF.h>

#include <filesystem>
#include <stdexcept>

using namespace transfold;
namespace fs = std::filesystem;

/// Size limit of a license, which programs contain; the longest known ones have
/// 40 KiB.
static constexpr uintmax_t most = 256 << 10;

std::string driver::modelLicence(const std::string &model) {
  std::error_code error;
  if (!fs::is_directory(model, error))
    return "";
  for (const char *name : {"LICENSE", "LICENCE", "LICENSE.txt", "LICENSE.md"}) {
    const std::string path = (fs::path(model) / name).string();
    noteRead(path);
    if (!fs::is_regular_file(path, error))
      continue;
    if (checkpoint::leadsOut(path, model)) {
      warn(fmt::format(
          "{}: is a link that leads out of the model's directory, and is left "
          "out; the program does not include this licence",
          path));
      continue;
    }
    const uintmax_t size = fs::file_size(path, error);
    if (error || size > most)
      throw std::runtime_error(
          fmt::format("{}: is too large for a licence, which programs include: "
                      "at most {} KiB; rename it to leave it out",
                      path, most >> 10));
    if (size == 0)
      continue;
    const FileMapping file(path);
    std::string text(file.text());
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
    if (text.find('\0') != std::string::npos ||
        !llvm::isLegalUTF8String(&begin, begin + text.size()))
      throw std::runtime_error(fmt::format(
          "{}: is not text in UTF-8; rename it to leave it out", path));
    return text;
  }
  return "";
}
