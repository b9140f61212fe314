// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/EmitProgram.h"

#include "compiler/host/EmitEntry.h"
#include "compiler/host/MemorySpace.h"
#include "compiler/kernels/build/KernelSymbol.h"
#include "runtime/program/Program.h"
#include "runtime/tokenizer/Tables.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <cstddef>
#include <stdexcept>

using namespace transfold;
namespace ir = llvm;

/// A private constant with the bytes of `text`; null where it is empty.
static ir::Constant *bytesOf(ir::Module &module, const std::string &text,
                             const char *name) {
  ir::LLVMContext &context = module.getContext();
  if (text.empty())
    return ir::ConstantPointerNull::get(ir::PointerType::get(context, 0));
  auto *data =
      ir::ConstantDataArray::getString(context, text, /*AddNull=*/true);
  auto *variable =
      new ir::GlobalVariable(module, data->getType(), true,
                             ir::GlobalValue::PrivateLinkage, data, name);
  // The tables of a tokenizer are used where they lie.
  variable->setAlignment(ir::Align(runtime::tablesAlignment));
  return variable;
}

/// The module's kernels for one kind of processor, in its order.
namespace {
struct Variant {
  std::string name, target;
  ir::SmallVector<ir::Constant *> kernels;
};
} // namespace

/// The names of `xf.variants`; else the one that all kernels have.
static std::vector<Variant> namedVariants(mlir::ModuleOp source) {
  std::vector<Variant> variants;
  if (auto names = source->getAttrOfType<mlir::ArrayAttr>("xf.variants"))
    for (auto name : names.getAsRange<mlir::StringAttr>())
      variants.push_back({name.str(), "", {}});
  auto kernels = source.getOps<xf::KernelOp>();
  if (variants.empty() && !kernels.empty())
    variants.push_back(
        {(*kernels.begin()).getVariant().value_or("").str(), "", {}});
  return variants;
}

static std::vector<Variant> variantsOf(mlir::ModuleOp source,
                                       ir::Module &module) {
  // The forms of each kernel by the name of their variant.
  llvm::MapVector<ir::StringRef, llvm::StringMap<xf::KernelOp>> forms;
  for (auto kernel : source.getOps<xf::KernelOp>())
    forms[kernel.getVariantOf().value_or(kernel.getSymName())].try_emplace(
        kernel.getVariant().value_or(""), kernel);
  auto *type = ir::FunctionType::get(ir::Type::getInt32Ty(module.getContext()),
                                     /*isVarArg=*/true);
  std::vector<Variant> variants = namedVariants(source);
  for (auto &[name, known] : forms) {
    // A kernel that gains nothing from a variant has the next one's.
    xf::KernelOp form;
    for (Variant &variant : ir::reverse(variants)) {
      if (xf::KernelOp own = known.lookup(variant.name)) {
        form = own;
        if (variant.target.empty())
          variant.target = own.getTarget().value_or("").str();
      }
      if (!form)
        throw std::runtime_error("there is no kernel " + name.str() + " for " +
                                 variant.name);
      variant.kernels.push_back(ir::cast<ir::Constant>(
          module.getOrInsertFunction(kernels::symbolOf(form.getSymName()), type)
              .getCallee()));
    }
  }
  return variants;
}

/// The function of Halide's runtime that stands for the memory of the kernels;
/// null where it is the host's.
static ir::Constant *deviceInterface(mlir::ModuleOp source,
                                     ir::Module &module) {
  auto *pointer = ir::PointerType::get(module.getContext(), 0);
  for (auto kernel : source.getOps<xf::KernelOp>()) {
    ir::StringRef space = host::memorySpaceOf(kernel.getTarget().value_or(""));
    if (!host::isHost(space))
      return ir::cast<ir::Constant>(
          module
              .getOrInsertFunction(
                  ("halide_" + space + "_device_interface").str(), pointer)
              .getCallee());
  }
  return ir::ConstantPointerNull::get(pointer);
}

/// The kernel that copies words in a device's memory; null where there is none.
static ir::Constant *copyOfWords(ir::Constant *deviceInterface,
                                 ir::Module &module) {
  if (deviceInterface->isNullValue())
    return deviceInterface;
  auto *type = ir::FunctionType::get(ir::Type::getInt32Ty(module.getContext()),
                                     /*isVarArg=*/true);
  return ir::cast<ir::Constant>(
      module.getOrInsertFunction(kernels::copyOfWordsName, type).getCallee());
}

std::unique_ptr<llvm::Module> host::emitProgram(mlir::ModuleOp source,
                                                const ProgramTexts &texts,
                                                llvm::LLVMContext &context) {
  auto module = std::make_unique<ir::Module>("program", context);
  ir::IRBuilder<> builder(context);
  auto *pointer = ir::PointerType::get(context, 0);
  auto *entryType = ir::StructType::get(pointer, pointer);
  auto *blobType = ir::StructType::get(pointer, builder.getInt64Ty());

  ir::SmallVector<ir::Constant *> entries;
  for (auto entry : source.getOps<xf::EntryOp>()) {
    EmittedEntry emitted = emitEntry(entry, *module);
    entries.push_back(
        ir::ConstantStruct::get(entryType, {emitted.run, emitted.arenaBytes}));
  }
  auto *tableType = ir::ArrayType::get(entryType, entries.size());
  auto *table = new ir::GlobalVariable(
      *module, tableType, true, ir::GlobalValue::PrivateLinkage,
      ir::ConstantArray::get(tableType, entries), "entries");
  // struct transfold_variant.
  auto *variantType = ir::StructType::get(pointer, pointer, pointer);
  ir::SmallVector<ir::Constant *> variants;
  for (const Variant &variant : variantsOf(source, *module)) {
    auto *kernelsType = ir::ArrayType::get(pointer, variant.kernels.size());
    auto *kernels = new ir::GlobalVariable(
        *module, kernelsType, true, ir::GlobalValue::PrivateLinkage,
        ir::ConstantArray::get(kernelsType, variant.kernels), "kernels");
    variants.push_back(ir::ConstantStruct::get(
        variantType, {bytesOf(*module, variant.name, "variant"),
                      bytesOf(*module, variant.target, "target"), kernels}));
  }
  auto *variantsType = ir::ArrayType::get(variantType, variants.size());
  auto *variantTable = new ir::GlobalVariable(
      *module, variantsType, true, ir::GlobalValue::PrivateLinkage,
      ir::ConstantArray::get(variantsType, variants), "variants");
  auto blob = [&](const std::string &text, const char *name) {
    return ir::ConstantStruct::get(blobType, {bytesOf(*module, text, name),
                                              builder.getInt64(text.size())});
  };
  // Field by field as Program.h has them, with the padding that C gives them.
  static_assert(offsetof(transfold_program, entries) == 8 &&
                offsetof(transfold_program, variant_count) == 16 &&
                offsetof(transfold_program, variants) == 24 &&
                offsetof(transfold_program, metadata) == 32 &&
                offsetof(transfold_program, tokenizer) == 48 &&
                offsetof(transfold_program, chat_template) == 64 &&
                offsetof(transfold_program, device_interface) == 80 &&
                offsetof(transfold_program, copy_words) == 88 &&
                sizeof(transfold_program) == 96);
  ir::Constant *device = deviceInterface(source, *module);
  auto *program = ir::ConstantStruct::getAnon(
      {builder.getInt32(TRANSFOLD_ABI), builder.getInt32(entries.size()), table,
       builder.getInt64(variants.size()), variantTable,
       blob(texts.metadata, "metadata"), blob(texts.tokenizer, "tokenizer"),
       blob(texts.chatTemplate, "chat_template"), device,
       copyOfWords(device, *module)});
  new ir::GlobalVariable(*module, program->getType(), true,
                         ir::GlobalValue::ExternalLinkage, program,
                         "transfold_program_data");
  return module;
}

void host::addText(llvm::Module &module, const std::string &name,
                   const std::string &text) {
  auto *bytes = ir::ConstantDataArray::getString(module.getContext(), text);
  new ir::GlobalVariable(module, bytes->getType(), true,
                         ir::GlobalValue::ExternalLinkage, bytes, name);
}

std::string host::emitObject(llvm::Module &module,
                             const std::string &crossTriple) {
  ir::InitializeAllTargetInfos();
  ir::InitializeAllTargets();
  ir::InitializeAllTargetMCs();
  ir::InitializeAllAsmPrinters();
  ir::Triple triple(crossTriple.empty() ? ir::sys::getDefaultTargetTriple()
                                        : crossTriple);
  std::string error;
  const ir::Target *target = ir::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error("no code can be made for " + triple.str() + ": " +
                             error);
  // The entries only call kernels: any processor of the kind will do.
  std::unique_ptr<ir::TargetMachine> machine(target->createTargetMachine(
      triple, "generic", "", ir::TargetOptions(), ir::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());

  ir::SmallVector<char, 0> object;
  ir::raw_svector_ostream stream(object);
  ir::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   ir::CodeGenFileType::ObjectFile))
    throw std::runtime_error("no object files can be made for " + triple.str());
  passes.run(module);
  return {object.data(), object.size()};
}
