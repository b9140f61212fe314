// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bitcode to machine code: marked products become instructions, then
// LLVM's code generator runs without passes that would change roundings or the
// order of instructions.

#include "compiler/kernels/build/llvm/FusedProducts.h"
#include "compiler/kernels/algorithm/product/ProductMark.h"
#include "compiler/kernels/build/llvm/Rewrites.h"
#include "compiler/kernels/build/tiles/TileProducts.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils/Local.h>

#include <stdexcept>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace transfold::kernels;

//===----------------------------------------------------------------------===//
// From marks to fma
//===----------------------------------------------------------------------===//

/// The float type with the shape of an integer type of the same width.
static Type *asFloats(Type *type) {
  return type->getWithNewType(Type::getFloatTy(type->getContext()));
}

/// Whether any lane of a constant is the mark, and whether all lanes are, apart
/// from undefined ones.
struct MarkedLanes {
  bool any = false, all = true;
};

/// Which lanes of a constant are the mark.
static MarkedLanes markedLanes(Value *value) {
  auto *constant = dyn_cast<Constant>(value);
  if (!constant)
    return {false, false};
  auto *vector = dyn_cast<FixedVectorType>(constant->getType());
  MarkedLanes lanes;
  for (unsigned lane = 0; lane < (vector ? vector->getNumElements() : 1);
       ++lane) {
    Constant *one = vector ? constant->getAggregateElement(lane) : constant;
    auto *number = dyn_cast_or_null<ConstantInt>(one);
    bool isMark = number && number->getZExtValue() == productMark;
    lanes.any |= isMark;
    lanes.all &= isMark || isa_and_nonnull<UndefValue>(one);
  }
  return lanes;
}

/// The product in `value` if that is a marked product (an integer with the bits
/// of the product, XORed with the mark); else null.
static Value *productIn(Value *value) {
  Value *product = nullptr, *mark = nullptr;
  if (!value->getType()->getScalarType()->isIntegerTy(32) ||
      !match(value, m_c_Xor(m_BitCast(m_Value(product)), m_Value(mark))) ||
      product->getType() != asFloats(value->getType()))
    return nullptr;
  MarkedLanes lanes = markedLanes(mark);
  return lanes.any && lanes.all ? product : nullptr;
}

/// Whether `value` moves elements into, out of or between vectors, or selects
/// among values.
static bool isMove(Value *value) {
  return isa<ShuffleVectorInst, InsertElementInst, ExtractElementInst,
             SelectInst>(value);
}

namespace {
/// The factors of marked products. LLVM may have moved a marked product into a
/// vector, or selected among several, as floats or as integers with their bits:
/// then the factors are moved or selected in the same way.
class Factors {
public:
  using Pair = std::pair<Value *, Value *>;

  bool isProduct(Value *value) {
    auto [known, isNew] = answers.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool answer = productIn(value) || isMadeOfProducts(value);
    return answers[value] = answer;
  }

  /// The factors of `value`, which must be a product, as floats.
  Pair of(Value *value) {
    if (auto known = pairs.find(value); known != pairs.end())
      return known->second;
    Pair pair = make(value);
    pairs[value] = pair;
    return pair;
  }

private:
  static bool isNothing(Value *value) { return isa<UndefValue>(value); }

  bool isMadeOfProducts(Value *value) {
    auto isPart = [&](Value *part) {
      return isNothing(part) || isProduct(part);
    };
    if (auto *bits = dyn_cast<BitCastInst>(value))
      return bits->getType() == asFloats(bits->getSrcTy()) &&
             isProduct(bits->getOperand(0));
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(value))
      return isProduct(shuffle->getOperand(0)) &&
             isPart(shuffle->getOperand(1));
    if (auto *insert = dyn_cast<InsertElementInst>(value))
      return isPart(insert->getOperand(0)) && isProduct(insert->getOperand(1));
    if (auto *extract = dyn_cast<ExtractElementInst>(value))
      return isProduct(extract->getVectorOperand());
    if (auto *select = dyn_cast<SelectInst>(value))
      return isProduct(select->getTrueValue()) &&
             isProduct(select->getFalseValue());
    if (auto *phi = dyn_cast<PHINode>(value))
      return all_of(phi->incoming_values(),
                    [&](Use &use) { return isProduct(use.get()); });
    return false;
  }

  Pair factorsIn(Value *product) {
    Value *a = nullptr, *b = nullptr;
    if (match(product, m_FMul(m_Value(a), m_Value(b))))
      return {a, b};
    // LLVM moves the signs of factors to their product.
    if (match(product, m_FNeg(m_FMul(m_Value(a), m_Value(b)))))
      return {IRBuilder<>(cast<Instruction>(product)).CreateFNeg(a), b};
    if (match(product, m_FAbs(m_FMul(m_Value(a), m_Value(b))))) {
      IRBuilder<> builder(cast<Instruction>(product));
      return {builder.CreateUnaryIntrinsic(Intrinsic::fabs, a),
              builder.CreateUnaryIntrinsic(Intrinsic::fabs, b)};
    }
    if (isMove(product))
      return moved(cast<Instruction>(product),
                   [&](Value *operand) { return factorsIn(operand); });
    // LLVM has removed a factor of 1.
    return {product, ConstantFP::get(product->getType(), 1.0)};
  }

  Pair make(Value *value) {
    if (Value *product = productIn(value))
      return factorsIn(product);
    if (auto *bits = dyn_cast<BitCastInst>(value))
      return of(bits->getOperand(0));
    if (auto *phi = dyn_cast<PHINode>(value))
      return makePhi(phi);
    return moved(cast<Instruction>(value),
                 [&](Value *operand) { return of(operand); });
  }

  /// Applies the move `move` to each of the two factors.
  static Pair moved(Instruction *move, function_ref<Pair(Value *)> factorsOf) {
    // Values become factors; indices and conditions stay.
    auto factors = [&](Value *operand) -> Pair {
      Type *type = operand->getType();
      if (!isNothing(operand))
        return factorsOf(operand);
      Value *nothing = PoisonValue::get(asFloats(type));
      return {nothing, nothing};
    };
    IRBuilder<> builder(move);
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(move)) {
      Pair x = factors(shuffle->getOperand(0)),
           y = factors(shuffle->getOperand(1));
      ArrayRef<int> mask = shuffle->getShuffleMask();
      return {builder.CreateShuffleVector(x.first, y.first, mask),
              builder.CreateShuffleVector(x.second, y.second, mask)};
    }
    if (auto *insert = dyn_cast<InsertElementInst>(move)) {
      Pair x = factors(insert->getOperand(0)),
           y = factors(insert->getOperand(1));
      Value *place = insert->getOperand(2);
      return {builder.CreateInsertElement(x.first, y.first, place),
              builder.CreateInsertElement(x.second, y.second, place)};
    }
    if (auto *extract = dyn_cast<ExtractElementInst>(move)) {
      Pair x = factors(extract->getVectorOperand());
      Value *place = extract->getIndexOperand();
      return {builder.CreateExtractElement(x.first, place),
              builder.CreateExtractElement(x.second, place)};
    }
    auto *select = cast<SelectInst>(move);
    Pair x = factors(select->getTrueValue()),
         y = factors(select->getFalseValue());
    Value *condition = select->getCondition();
    return {builder.CreateSelect(condition, x.first, y.first),
            builder.CreateSelect(condition, x.second, y.second)};
  }

  Pair makePhi(PHINode *phi) {
    IRBuilder<> builder(phi);
    Type *type = asFloats(phi->getType());
    PHINode *a = builder.CreatePHI(type, phi->getNumIncomingValues());
    PHINode *b = builder.CreatePHI(type, phi->getNumIncomingValues());
    pairs[phi] = {a, b};
    for (auto [value, block] : zip(phi->incoming_values(), phi->blocks())) {
      auto [first, second] = of(value);
      a->addIncoming(first, block);
      b->addIncoming(second, block);
    }
    return {a, b};
  }

  DenseMap<Value *, bool> answers;
  DenseMap<Value *, Pair> pairs;
};
} // namespace

/// Whether `value` has the bits of floats, possibly after moves.
static bool hasBitsOfFloats(Value *value) {
  if (auto *bits = dyn_cast<BitCastInst>(value))
    return bits->getSrcTy()->getScalarType()->isFloatTy();
  return isMove(value) &&
         any_of(cast<Instruction>(value)->operands(),
                [](Use &use) { return hasBitsOfFloats(use.get()); });
}

/// Whether `instruction` is a remaining mark, in any lane.
static bool isMark(Instruction &instruction) {
  if (instruction.getOpcode() != Instruction::Xor ||
      !instruction.getType()->getScalarType()->isIntegerTy(32))
    return false;
  for (unsigned side : {0, 1})
    if (markedLanes(instruction.getOperand(side)).any &&
        hasBitsOfFloats(instruction.getOperand(1 - side)))
      return true;
  return false;
}

// a · b + c, a · b - c or c - a · b; null if the operand is not a marked
// product.
static Value *fused(Instruction *sum, unsigned operand, Factors &factors) {
  if (!factors.isProduct(sum->getOperand(operand)))
    return nullptr;
  auto [first, b] = factors.of(sum->getOperand(operand));
  Value *a = first, *other = sum->getOperand(1 - operand);
  IRBuilder<> builder(sum);
  if (sum->getOpcode() == Instruction::FSub) {
    Value *&subtracted = operand == 0 ? other : a;
    subtracted = builder.CreateFNeg(subtracted);
  }
  return builder.CreateIntrinsic(Intrinsic::fma, {sum->getType()},
                                 {a, b, other});
}

/// Whether `value` is still an operand of an addition or subtraction, possibly
/// after moves. A phi, such as that of a sum in a loop, does not count.
static bool isAdded(Value *value) {
  return any_of(value->users(), [](User *user) {
    auto *instruction = cast<Instruction>(user);
    bool isBits = isa<BitCastInst>(instruction) || isMove(instruction);
    return isBits ? isAdded(instruction)
                  : instruction->getOpcode() == Instruction::FAdd ||
                        instruction->getOpcode() == Instruction::FSub;
  });
}

// Removes the mark of a product whose sum LLVM has removed, because it begins
// with 0: the value is the rounded product.
static void takeMarkAway(Instruction &mark) {
  if (!productIn(&mark) || isAdded(&mark))
    throw std::runtime_error(
        "a product to be fused is read by something other than a sum");
  bool isFirst = isa<Constant>(mark.getOperand(1));
  mark.replaceAllUsesWith(mark.getOperand(isFirst ? 0 : 1));
  mark.eraseFromParent();
}

// Replaces sums of marked products by fma, and removes the other marks.
static void fuseProducts(Function &function) {
  Factors factors;
  SmallVector<Instruction *> sums;
  for (Instruction &instruction : instructions(function))
    if (instruction.getOpcode() == Instruction::FAdd ||
        instruction.getOpcode() == Instruction::FSub)
      sums.push_back(&instruction);
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction *sum : sums) {
    Value *one = fused(sum, 0, factors);
    if (!one)
      one = fused(sum, 1, factors);
    if (!one)
      continue;
    sum->replaceAllUsesWith(one);
    replaced.emplace_back(sum);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isMark(instruction))
      takeMarkAway(instruction);
}

//===----------------------------------------------------------------------===//
// To machine code
//===----------------------------------------------------------------------===//

// The sums of a tile stay in registers as long as instructions keep the order
// in which they are written, word by word. LLVM turns each chain of additions
// into a tree and computes one column of the tile after the other: the operands
// that rows share then go through memory (a fifth of the time, on Zen 3). This
// can be disabled only by options for all code of a process; each kernel is
// compiled in a process of its own.
static void setOption(StringRef name, const char *value) {
  if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
    option->addOccurrence(0, name, value);
}

static void keepOrder() {
  for (StringRef name :
       {"enable-misched", "x86-machine-combiner", "aarch64-enable-mcr"})
    setOption(name, "false");
}

// Disables loop strength reduction, which would keep a register for the address
// of each value on the stack, 30 in the loop over groups of a tile, most of
// them spilled.
static void keepPlaces() { setOption("disable-lsr", "true"); }

// The target machine for the processor that Halide's functions name.
static std::unique_ptr<TargetMachine> machineFor(Module &module,
                                                 CodeGenOptLevel level) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  std::string error;
  const Triple &triple = module.getTargetTriple();
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error("cannot generate code for " + triple.str() + ": " +
                             error);
  StringRef processor, features;
  for (Function &function : module)
    if (function.hasFnAttribute("target-cpu")) {
      processor = function.getFnAttribute("target-cpu").getValueAsString();
      features = function.getFnAttribute("target-features").getValueAsString();
    }
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  options.FunctionSections = true;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, processor, features, options,
                                  Reloc::PIC_, CodeModel::Small, level));
}

// LLVM compiles tile instructions to scalar code only without optimization.
static CodeGenOptLevel levelFor(bool isScalar) {
  if (!isScalar)
    return CodeGenOptLevel::Aggressive;
  makeTilesScalar();
  return CodeGenOptLevel::None;
}

std::string transfold::kernels::emitKernel(StringRef bitcode, KernelForm form,
                                           const CodeOptions &options) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), context);
  if (!module)
    throw std::runtime_error(toString(module.takeError()));
  keepToProducts(**module);
  const bool isScalar =
      options.hasScalarTiles && ((*module)->getFunction(tileProductName) ||
                                 (*module)->getFunction(pairTileProductName));
  std::unique_ptr<TargetMachine> machine =
      machineFor(**module, levelFor(isScalar));
  if (options.flushesDenormals)
    flushDenormals(**module);
  bool hasDots = false, hasOctets = false;
  for (Function &function : **module) {
    hasDots |= replaceWordDots(function, *machine);
    replacePairDots(function);
    replaceBfloatRoundings(function, *machine);
    replaceTileProducts(function, isScalar);
    replacePairTileProducts(function, isScalar);
    hasOctets |= replaceOctetProducts(function);
    fuseProducts(function);
  }
  if (hasDots || hasOctets)
    keepOrder();
  if (hasOctets)
    keepPlaces();
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (form == KernelForm::Llvm) {
    (*module)->print(stream, nullptr);
    return {bytes.data(), bytes.size()};
  }
  (*module)->setDataLayout(machine->createDataLayout());
  legacy::PassManager passes;
  if (hasOctets) // sums become registers, and addresses are computed once
    for (Pass *pass : {createSROAPass(), createEarlyCSEPass()})
      passes.add(pass);
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   form == KernelForm::Assembly
                                       ? CodeGenFileType::AssemblyFile
                                       : CodeGenFileType::ObjectFile))
    throw std::runtime_error("cannot write object files for " +
                             (*module)->getTargetTriple().str());
  passes.run(**module);
  return {bytes.data(), bytes.size()};
}
