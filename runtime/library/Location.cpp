// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the weights beside the file that contains the model. A library does not
// know its own path, and asks the dynamic linker by the address of a constant
// in it.

#include "runtime/library/Location.h"

#include "runtime/library/Failure.h"
#include "runtime/weights/WeightsFile.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace transfold::runtime::inline library {

namespace fs = std::filesystem;

/// The file from which `address` was loaded. The link map has an empty name for
/// the executable, while dladdr gives the executable the name in argv[0].
static fs::path fileOf(const void *address) {
  Dl_info info;
  void *loaded = nullptr;
  if (!::dladdr1(address, &info, &loaded, RTLD_DL_LINKMAP) || !loaded)
    failWith(TFOLD_ERROR_FILE, "the file of the library cannot be determined; "
                               "give the path of its weights");
  const char *path = static_cast<const link_map *>(loaded)->l_name;
  std::error_code error;
  fs::path file = *path ? fs::path(path) : fs::path(executablePath());
  fs::path canonical = fs::canonical(file, error); // resolves symbolic links
  return error ? file : canonical;
}

std::string weightsPath(const tfold_model &model, const char *given) {
  const std::string name = std::string(model.name) + ".weights";
  const bool isGiven = given && *given;
  fs::path path =
      isGiven ? fs::path(given) : fileOf(&model).parent_path() / name;
  std::error_code error;
  if (fs::is_directory(path, error))
    path /= name;
  if (!fs::exists(path, error))
    failWith(TFOLD_ERROR_FILE,
             "{}: there are no weights; put {} beside the library that it was "
             "made with, or give its path",
             path.string(), name);
  if (!isWeightsFile(fs::canonical(path, error).string()))
    failWith(TFOLD_ERROR_FILE, "{}: is not a weights file", path.string());
  return path.string();
}

} // namespace transfold::runtime::inline library
