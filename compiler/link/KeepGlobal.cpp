// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes symbols local with LLVM's objcopy, as a library.

#include "compiler/link/KeepGlobal.h"

#include "compiler/link/Link.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

using namespace transfold;

/// Throws a failure as LinkError.
static void check(llvm::Error error) {
  if (error)
    throw link::LinkError("the library's object file cannot be changed: " +
                          llvm::toString(std::move(error)));
}

std::string transfold::link::keepGlobal(const std::string &object,
                                        const std::string &symbol,
                                        const std::string &name) {
  llvm::objcopy::ConfigManager config;
  llvm::objcopy::CommonConfig &common = config.Common;
  common.OutputFormat = llvm::objcopy::FileFormat::Unspecified;
  common.StripUnneeded = true;
  common.SymbolsToRename[symbol] = name;
  for (llvm::StringRef kept : {llvm::StringRef(symbol), llvm::StringRef(name)})
    check(common.SymbolsToKeepGlobal.addMatcher(
        llvm::objcopy::NameOrPattern::create(
            kept, llvm::objcopy::MatchStyle::Literal,
            [](llvm::Error error) { return error; })));
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "library"));
  if (!file)
    check(file.takeError());
  llvm::SmallString<0> changed;
  llvm::raw_svector_ostream stream(changed);
  check(llvm::objcopy::executeObjcopyOnBinary(config, **file, stream));
  return std::string(changed);
}
