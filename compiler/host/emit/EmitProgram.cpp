// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the constants that describe a program: its entries, and the kernels of
// each kind of processor. The runtime finds all of them through the symbol
// `transfold_program_data`.

#include "compiler/host/emit/EmitProgram.h"

#include "compiler/host/emit/EmitEntry.h"
#include "compiler/host/plan/MemorySpace.h"
#include "compiler/kernels/build/KernelSymbol.h"
#include "runtime/program/Program.h"
#include "runtime/tokenizer/tables/Tables.h"

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

/// A private constant with the bytes of `text`; null if it is empty.
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
  // The tables of a tokenizer are used in place.
  variable->setAlignment(ir::Align(runtime::tablesAlignment));
  return variable;
}

/// The kernels for one kind of processor, in the order of the module.
namespace {
struct Variant {
  std::string name, target;
  ir::SmallVector<ir::Constant *> kernels;
};
} // namespace

/// The names of `xf.variants`; otherwise the single variant of all kernels.
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

/// The table of kernels for each variant. Throws std::runtime_error if a kernel
/// exists neither for a variant nor for any later one.
static std::vector<Variant> variantsOf(mlir::ModuleOp source,
                                       ir::Module &module) {
  // The variants of each kernel, by name.
  llvm::MapVector<ir::StringRef, llvm::StringMap<xf::KernelOp>> forms;
  for (auto kernel : source.getOps<xf::KernelOp>())
    forms[kernel.getVariantOf().value_or(kernel.getSymName())].try_emplace(
        kernel.getVariant().value_or(""), kernel);
  // Only the address is needed here; calls have their own types.
  auto *type = ir::FunctionType::get(ir::Type::getInt32Ty(module.getContext()),
                                     /*isVarArg=*/true);
  std::vector<Variant> variants = namedVariants(source);
  for (auto &[name, known] : forms) {
    // A kernel without a form for a variant uses that of the next variant.
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

/// The target of the kernels if they run on a device; otherwise empty.
static std::string deviceTargetOf(mlir::ModuleOp source) {
  for (auto kernel : source.getOps<xf::KernelOp>())
    if (ir::StringRef target = kernel.getTarget().value_or("");
        !host::isHost(host::memorySpaceOf(target)))
      return target.str();
  return "";
}

namespace {
/// Builds the constants that describe the program to the runtime (Program.h).
class Description {
public:
  explicit Description(ir::Module &module)
      : module(module), context(module.getContext()),
        pointer(ir::PointerType::get(context, 0)),
        entryType(ir::StructType::get(pointer, pointer)),
        variantType(ir::StructType::get(pointer, pointer, pointer)),
        i32(ir::Type::getInt32Ty(context)), i64(ir::Type::getInt64Ty(context)) {
  }

  /// A text and its length in bytes.
  ir::Constant *blob(const std::string &text, const char *name) {
    return ir::ConstantStruct::get(
        ir::StructType::get(pointer, i64),
        {bytesOf(module, text, name), ir::ConstantInt::get(i64, text.size())});
  }

  /// A transfold_program of `source`; `next` is the following one, or null.
  ir::Constant *program(mlir::ModuleOp source, ir::Constant *metadata,
                        ir::Constant *tokenizer, ir::Constant *chatTemplate,
                        ir::Constant *next) {
    ir::SmallVector<ir::Constant *> entries = entriesOf(source),
                                    variants = variantTable(source);
    const std::string target = deviceTargetOf(source);
    // Fields in the order of Program.h, with the same padding as in C.
    static_assert(offsetof(transfold_program, entries) == 8 &&
                  offsetof(transfold_program, variant_count) == 16 &&
                  offsetof(transfold_program, variants) == 24 &&
                  offsetof(transfold_program, metadata) == 32 &&
                  offsetof(transfold_program, tokenizer) == 48 &&
                  offsetof(transfold_program, chat_template) == 64 &&
                  offsetof(transfold_program, device_interface) == 80 &&
                  offsetof(transfold_program, copy_words) == 88 &&
                  offsetof(transfold_program, copy_several) == 96 &&
                  offsetof(transfold_program, largest) == 104 &&
                  offsetof(transfold_program, next) == 112 &&
                  sizeof(transfold_program) == 120);
    return ir::ConstantStruct::getAnon(
        {number(i32, TRANSFOLD_ABI), number(i32, entries.size()),
         table(entryType, entries, "entries"), number(i64, variants.size()),
         table(variantType, variants, "variants"), metadata, tokenizer,
         chatTemplate, deviceInterface(target), helper("copy_words", target),
         helper("copy_several", target, "_argv"), helper("largest", target),
         next});
  }

  /// The null pointer of a field that the program does not use.
  ir::Constant *none() { return ir::ConstantPointerNull::get(pointer); }

private:
  /// A constant of an integer type.
  static ir::Constant *number(ir::Type *type, uint64_t value) {
    return ir::ConstantInt::get(type, value);
  }

  /// The function of Halide's runtime that returns the interface of the device;
  /// null if there is no device.
  ir::Constant *deviceInterface(const std::string &target) {
    if (target.empty())
      return none();
    return ir::cast<ir::Constant>(
        module
            .getOrInsertFunction(
                ("halide_" + host::memorySpaceOf(target) + "_device_interface")
                    .str(),
                pointer)
            .getCallee());
  }

  /// A helper kernel for a field of transfold_program, null if there is no
  /// device. Halide also generates a form with the suffix "_argv".
  ir::Constant *helper(const char *name, const std::string &target,
                       const char *suffix = "") {
    if (target.empty())
      return none();
    return ir::cast<ir::Constant>(
        module
            .getOrInsertFunction(kernels::symbolOfHelper(name, target) + suffix,
                                 ir::FunctionType::get(i32, /*isVarArg=*/true))
            .getCallee());
  }

  /// A private array of constants.
  ir::Constant *table(ir::Type *type, ir::ArrayRef<ir::Constant *> values,
                      const char *name) {
    auto *arrayType = ir::ArrayType::get(type, values.size());
    return new ir::GlobalVariable(
        module, arrayType, true, ir::GlobalValue::PrivateLinkage,
        ir::ConstantArray::get(arrayType, values), name);
  }

  /// Emits the functions of all entries and the table of their addresses.
  ir::SmallVector<ir::Constant *> entriesOf(mlir::ModuleOp source) {
    ir::SmallVector<ir::Constant *> entries;
    for (auto entry : source.getOps<xf::EntryOp>()) {
      host::EmittedEntry emitted = host::emitEntry(entry, module);
      entries.push_back(ir::ConstantStruct::get(
          entryType, {emitted.run, emitted.arenaBytes}));
    }
    return entries;
  }

  /// A transfold_variant for each kind of processor.
  ir::SmallVector<ir::Constant *> variantTable(mlir::ModuleOp source) {
    ir::SmallVector<ir::Constant *> variants;
    for (const Variant &variant : variantsOf(source, module))
      variants.push_back(ir::ConstantStruct::get(
          variantType, {bytesOf(module, variant.name, "variant"),
                        bytesOf(module, variant.target, "target"),
                        table(pointer, variant.kernels, "kernels")}));
    return variants;
  }

  ir::Module &module;
  ir::LLVMContext &context;
  ir::PointerType *pointer;
  ir::StructType *entryType, *variantType;
  ir::IntegerType *i32, *i64;
};
} // namespace

std::unique_ptr<llvm::Module>
host::emitProgram(llvm::ArrayRef<mlir::ModuleOp> sources,
                  const ProgramTexts &texts, llvm::LLVMContext &context) {
  auto module = std::make_unique<ir::Module>("program", context);
  Description description(*module);
  ir::Constant *tokenizer = description.blob(texts.tokenizer, "tokenizer"),
               *chat = description.blob(texts.chatTemplate, "chat_template"),
               *next = description.none();
  // Built from the last one, which the previous one refers to.
  for (size_t k = sources.size(); k-- > 0;) {
    ir::Constant *program = description.program(
        sources[k], description.blob(texts.metadata[k], "metadata"), tokenizer,
        chat, next);
    next = new ir::GlobalVariable(
        *module, program->getType(), true,
        k ? ir::GlobalValue::PrivateLinkage : ir::GlobalValue::ExternalLinkage,
        program, k ? "alternative" : "transfold_program_data");
  }
  return module;
}

void host::addParts(llvm::Module &module, llvm::ArrayRef<std::string> parts) {
  auto *pointer = ir::PointerType::get(module.getContext(), 0);
  ir::SmallVector<ir::Constant *> list;
  for (const std::string &part : parts) // declared as an array of bytes
    list.push_back(module.getOrInsertGlobal(
        "transfold_part_" + part, ir::Type::getInt8Ty(module.getContext())));
  list.push_back(ir::ConstantPointerNull::get(pointer));
  auto *type = ir::ArrayType::get(pointer, list.size());
  new ir::GlobalVariable(module, type, true, ir::GlobalValue::ExternalLinkage,
                         ir::ConstantArray::get(type, list),
                         "transfold_program_parts");
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
    throw std::runtime_error("cannot generate code for " + triple.str() + ": " +
                             error);
  // The entries only call kernels, so a generic processor is sufficient.
  std::unique_ptr<ir::TargetMachine> machine(target->createTargetMachine(
      triple, "generic", "", ir::TargetOptions(), ir::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());

  ir::SmallVector<char, 0> object;
  ir::raw_svector_ostream stream(object);
  ir::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   ir::CodeGenFileType::ObjectFile))
    throw std::runtime_error("cannot write object files for " + triple.str());
  passes.run(module);
  return {object.data(), object.size()};
}
