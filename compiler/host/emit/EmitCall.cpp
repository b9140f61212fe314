// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of kernels. A kernel is called through a table of the frame, since the
// runtime chooses the variant for the processor.

#include "compiler/host/emit/EmitCall.h"

#include "compiler/host/emit/ControlFlow.h"
#include "compiler/host/emit/EmitJoined.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/MemoryOrder.h"
#include "runtime/kernels/PerSequenceCalls.h"
#include "runtime/program/Program.h"

#include <llvm/IR/Module.h>

#include <cstddef>

using namespace transfold;

/// The index of a kernel in the tables of Program.h, which do not count
/// variants.
static unsigned numberOf(xf::KernelOp kernel) {
  unsigned number = 0;
  for (auto other :
       kernel->getParentOfType<mlir::ModuleOp>().getOps<xf::KernelOp>()) {
    if (other == kernel)
      break;
    number += !other.getVariantOf();
  }
  return number;
}

/// The largest number of rows for which all launches have a variant for few
/// rows.
static int64_t fewRowsOf(llvm::ArrayRef<xf::LaunchOp> group) {
  int64_t rows = INT64_MAX;
  for (xf::LaunchOp launch : group)
    rows = std::min<int64_t>(rows, *launch.lookUpKernel().getFewRows());
  return rows;
}

llvm::Value *host::CallEmitter::extent(mlir::Attribute axis) {
  if (auto number = xf::getNumber(axis))
    return builder.getInt64(*number);
  const auto &names = code.lengthNames;
  return code.lengths[llvm::find(names, axis) - names.begin()];
}

llvm::Value *host::CallEmitter::loadKernel(llvm::Value *number) {
  return builder.CreateLoad(
      code.pointer,
      builder.CreateInBoundsGEP(code.pointer, code.kernels, number));
}

llvm::SmallVector<llvm::Value *>
host::CallEmitter::fillBuffers(xf::LaunchOp launch, unsigned first) {
  xf::KernelOp kernel = launch.lookUpKernel();
  llvm::SmallVector<llvm::Value *> filled;
  for (mlir::OpOperand &operand : launch->getOpOperands())
    filled.push_back(fillBuffer(first + filled.size(), operand.get(),
                                kernel.getStorage(operand.getOperandNumber())));
  for (mlir::OpResult result : launch.getResults())
    filled.push_back(
        fillBuffer(first + filled.size(), result,
                   kernel.getResultStorage(result.getResultNumber())));
  return filled;
}

void host::CallEmitter::returnIfTooLarge() {
  if (llvm::Value *tooLarge = buffers.takeTooLarge())
    code.returnUnlessZero(builder.CreateSelect(
        tooLarge, builder.getInt32(TRANSFOLD_TOO_LARGE), builder.getInt32(0)));
}

void host::CallEmitter::emitCall(xf::LaunchOp launch) {
  llvm::SmallVector<llvm::Value *> operands = fillBuffers(launch);
  returnIfTooLarge();

  llvm::SmallVector<llvm::Type *> types(operands.size(), code.pointer);
  llvm::Value *number = chooseKernel(launch);
  llvm::Value *address = loadKernel(number);
  code.returnUnlessZero(builder.CreateCall(
      llvm::FunctionType::get(code.i32, types, false), address, operands));

  host::emitIf(builder, builder.CreateIsNotNull(code.watch), [&] {
    builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(),
                                               {code.pointer, code.i32}, false),
                       code.loadField(code.pointer, code.watch,
                                      offsetof(transfold_watch, launched)),
                       {code.watch, builder.CreateTrunc(number, code.i32)});
  });
}

llvm::Value *host::CallEmitter::chooseKernel(xf::LaunchOp launch) {
  xf::KernelOp kernel = launch.lookUpKernel();
  llvm::Value *number = builder.getInt64(numberOf(kernel));
  auto rows = code.lengthOf(launch.getResult().getType());
  // From the form for most rows to that for fewest: each is chosen if the rows
  // are few enough, so the last one that applies wins.
  while (rows && kernel.getFew()) {
    llvm::Value *isFew = builder.CreateICmpSLE(
        code.lengths[*rows], builder.getInt64(*kernel.getFewRows()));
    kernel = mlir::SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
        kernel, kernel.getFewAttr());
    number =
        builder.CreateSelect(isFew, builder.getInt64(numberOf(kernel)), number);
  }
  return number;
}

llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>>
host::CallEmitter::dimensions(mlir::Type type, xf::StorageAttr storage) {
  llvm::SmallVector<llvm::Value *> extents;
  auto shape = xf::getShape(type);
  if (storage.getPanels()) {
    for (int64_t size : storage.getExtents(shape))
      extents.push_back(builder.getInt64(size));
  } else {
    llvm::SmallVector<unsigned> order = xf::memoryOrder(type);
    // Halide's dimensions begin with the fastest, memoryOrder with the slowest.
    for (unsigned axis : llvm::reverse(order))
      extents.push_back(extent(shape[axis]));
  }
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>> result;
  llvm::Value *stride = builder.getInt64(1);
  for (llvm::Value *size : extents) {
    result.push_back({size, stride});
    stride = builder.CreateMul(stride, size);
  }
  return result;
}

llvm::Value *host::CallEmitter::fillBuffer(unsigned index, mlir::Value value,
                                           xf::StorageAttr storage) {
  host::BufferContents contents{host::elementOf(value.getType(), storage),
                                dimensions(value.getType(), storage),
                                code.addressOf(value)};
  if (code.onDevice && host::isPassedAsNumber(value.getType())) {
    // The value is encoded like the offsets of other buffers: as the extent of
    // a dimension.
    llvm::Value *number = builder.CreateSExt(
        builder.CreateLoad(code.i32, contents.address.at), code.i64);
    contents.address.parts = nullptr;
    contents.dimensions.push_back(
        {builder.CreateAdd(number, builder.getInt64(1)), builder.getInt64(1)});
  } else if (code.onDevice)
    contents.interface = code.loadField(code.pointer, code.device,
                                        offsetof(transfold_device, interface));
  return buffers.fill(index, std::move(contents));
}

/// Emits a group in its variants for few rows, through `together` of the frame.
void host::CallEmitter::emitTogether(llvm::ArrayRef<xf::LaunchOp> group) {
  llvm::SmallVector<llvm::Value *> values;
  llvm::SmallVector<unsigned> counts;
  unsigned filled = 0;
  uint64_t sameTasks = 0;
  for (size_t index = 0; index < group.size(); ++index) {
    xf::LaunchOp launch = group[index];
    if (launch.getJoined() == xf::Joined::SameTasks)
      sameTasks |= uint64_t{1} << index;
    values.push_back(loadKernel(chooseKernel(launch)));
    auto operands = fillBuffers(launch, filled);
    filled += operands.size();
    counts.push_back(operands.size());
    llvm::append_range(values, operands);
  }
  returnIfTooLarge();
  llvm::Function *calls = host::emitJoinedCalls(
      code.module, code.function->getName() + "_joined", counts);
  llvm::BasicBlock &first = code.function->getEntryBlock();
  llvm::Value *all =
      // On the stack: `together` returns only when all threads have finished.
      llvm::IRBuilder<>(&first, first.begin())
          .CreateAlloca(llvm::ArrayType::get(code.pointer, values.size()));
  for (auto [index, value] : llvm::enumerate(values))
    builder.CreateStore(
        value, builder.CreateConstInBoundsGEP1_64(code.pointer, all, index));
  code.returnUnlessZero(builder.CreateCall(
      llvm::FunctionType::get(code.i32, {code.pointer, code.pointer, code.i64},
                              false),
      code.together, {calls, all, builder.getInt64(sameTasks)}));
}

void host::CallEmitter::emitCalls(llvm::ArrayRef<xf::LaunchOp> group) {
  const unsigned rows =
      *code.lengthOf(xf::LaunchOp(group.front()).getResult().getType());
  // A profiler (`watch`) measures each launch by itself.
  llvm::Value *isTogether = builder.CreateAnd(
      builder.CreateICmpSLE(code.lengths[rows],
                            builder.getInt64(fewRowsOf(group))),
      builder.CreateIsNull(code.watch));
  host::emitIf(builder, isTogether, [&] { emitTogether(group); });
  host::emitIf(builder, builder.CreateNot(isTogether), [&] {
    for (xf::LaunchOp launch : group)
      emitCall(launch);
  });
}

//===----------------------------------------------------------------------===//
// Launches that run each on one thread
//===----------------------------------------------------------------------===//

/// Limit of the keys of a short launch. A row that attends to this many others
/// takes some 10 to 60 microseconds. Longer ones are shared by all threads, so
/// that no thread waits long for another.
static constexpr int64_t mostOfShort = 1024;

/// Pointers of one call in the array of a launch.
static unsigned strideOfEach(xf::LaunchOp launch) {
  // The kernel, operands and results.
  return 1 + launch->getNumOperands() + launch->getNumResults();
}

llvm::Value *host::CallEmitter::isShort(xf::LaunchOp launch) {
  llvm::Value *result = builder.CreateICmpEQ(
      code.lengths[*code.lengthOf(launch.getResult().getType())],
      builder.getInt64(1));
  // Also the keys of a cache: their number is a length of an operand.
  for (mlir::Value operand : launch.getOperands())
    if (auto length = code.lengthOf(operand.getType()))
      result = builder.CreateAnd(
          result, builder.CreateICmpSLE(code.lengths[*length],
                                        builder.getInt64(mostOfShort)));
  return result;
}

llvm::Value *host::CallEmitter::placeOfEach(xf::LaunchOp launch,
                                            unsigned index) {
  const unsigned stride = strideOfEach(launch);
  llvm::Value *&values = valuesOfEach[launch];
  if (!values) {
    llvm::BasicBlock &first = code.function->getEntryBlock();
    values = llvm::IRBuilder<>(&first, first.begin())
                 .CreateAlloca(llvm::ArrayType::get(
                     code.pointer, runtime::mostCallsOfEach * stride));
  }
  return builder.CreateConstInBoundsGEP1_64(code.pointer, values,
                                            uint64_t{index} * stride);
}

void host::CallEmitter::forgetEach(xf::LaunchOp launch, unsigned index) {
  builder.CreateStore(llvm::ConstantPointerNull::get(code.pointer),
                      placeOfEach(launch, index));
}

void host::CallEmitter::prepareEach(xf::LaunchOp launch, unsigned index) {
  const unsigned stride = strideOfEach(launch);
  llvm::Value *place = placeOfEach(launch, index);
  // The first buffers are those of other launches in between.
  auto operands = fillBuffers(launch, (1 + index) * (stride - 1));
  returnIfTooLarge();
  builder.CreateStore(loadKernel(chooseKernel(launch)), place);
  for (auto [number, operand] : llvm::enumerate(operands))
    builder.CreateStore(operand, builder.CreateConstInBoundsGEP1_64(
                                     code.pointer, place, 1 + number));
}

void host::CallEmitter::emitEach(xf::LaunchOp launch, unsigned count) {
  const unsigned stride = strideOfEach(launch);
  llvm::Function *call = host::emitOneCall(
      code.module, code.function->getName() + "_each", stride - 1);
  code.returnUnlessZero(builder.CreateCall(
      llvm::FunctionType::get(
          code.i32, {code.pointer, code.pointer, code.i64, code.i64}, false),
      code.each,
      {call, placeOfEach(launch, 0), builder.getInt64(stride),
       builder.getInt64(count)}));
}
