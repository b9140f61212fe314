// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets the visibility of symbols in place: their entries have a fixed size, so
// that nothing else in the object file changes.

#include "compiler/link/HideSymbols.h"

#include "compiler/link/Link.h"

#include <llvm/Object/ELFObjectFile.h>

using namespace transfold;

std::string transfold::link::hideSymbols(std::string object) {
  using File = llvm::object::ELF64LEObjectFile;
  auto file = File::create(llvm::MemoryBufferRef(object, "kernel"));
  if (!file)
    throw LinkError("a kernel's object file cannot be read: " +
                    llvm::toString(file.takeError()));
  for (llvm::object::ELFSymbolRef symbol : file->symbols()) {
    auto entry = file->getSymbol(symbol.getRawDataRefImpl());
    if (!entry)
      throw LinkError("a kernel's object file cannot be read: " +
                      llvm::toString(entry.takeError()));
    // The file is a view of `object`, which may be modified.
    if ((*entry)->isExternal() && (*entry)->isDefined())
      const_cast<File::Elf_Sym *>(*entry)->setVisibility(llvm::ELF::STV_HIDDEN);
  }
  return object;
}
