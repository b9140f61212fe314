// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills halide_buffer_t structures on the stack. Their layout is fixed here as
// LLVM types, since the emitted code cannot include Halide's header.

#include "compiler/host/emit/EmitBuffer.h"

#include "runtime/program/Program.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/MathExtras.h>

using namespace transfold;
using namespace llvm;

/// The halide_type_t: code 0 for signed integers, 1 for unsigned ones, 2 for
/// floats; the bits; one lane.
uint32_t host::elementOf(mlir::Type type, xf::StorageAttr storage) {
  uint32_t code = !mlir::isa<xf::RealType>(type) ? 0
                  : storage.isPlaceFloat()       ? 2
                                                 : 1;
  return code | storage.getPlaceBits() << 8 | 1 << 16;
}

/// struct halide_dimension_t { int32 min, extent, stride; uint32 flags };
static StructType *dimensionType(IRBuilder<> &builder) {
  Type *i32 = builder.getInt32Ty();
  return StructType::get(i32, i32, i32, i32);
}

/// struct halide_buffer_t { u64 device; ptr interface; ptr host; u64 flags;
///   { u8 code, u8 bits, u16 lanes } type; i32 dimensions; ptr dim; ptr
///   padding };
static StructType *bufferType(IRBuilder<> &builder) {
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  PointerType *pointer = builder.getPtrTy();
  return StructType::get(builder.getContext(), {i64, pointer, pointer, i64, i32,
                                                i32, pointer, pointer});
}

const host::BufferEmitter::Slot &host::BufferEmitter::slot(unsigned index,
                                                           size_t dimensions) {
  if (slots.size() <= index)
    slots.resize(index + 1);
  Slot &slot = slots[index];
  // Allocas in the entry block are part of the stack frame; one in a loop would
  // grow the stack in each iteration.
  IRBuilder<> atEntry(&function->getEntryBlock(),
                      function->getEntryBlock().begin());
  if (!slot.buffer)
    slot.buffer = atEntry.CreateAlloca(bufferType(builder));
  if (!slot.dimensions || slot.most < dimensions) {
    // Five suffice for almost all launches; one with more gets a larger alloca.
    slot.most = std::max<size_t>(dimensions, 5);
    slot.dimensions = atEntry.CreateAlloca(dimensionType(builder),
                                           atEntry.getInt32(slot.most));
  }
  return slot;
}

/// The extents of Halide's buffers have 32 bits. The conditions of all buffers
/// of a launch are combined, so that one branch tests them.
void host::BufferEmitter::noteSize(Value *size) {
  if (isa<Constant>(size)) // e.g. of a weight: checked when it was placed
    return;
  Value *more = builder.CreateICmpSGT(size, builder.getInt64(INT32_MAX));
  tooLarge = tooLarge ? builder.CreateOr(tooLarge, more) : more;
}

/// The part of a block that contains an offset, and the remaining offset in
/// places of the buffer, whose bits are a power of two. An address before the
/// beginning of its block is relative to the first part.
static std::pair<Value *, Value *>
partOf(IRBuilder<> &builder, const host::Address &address, uint32_t element) {
  Type *i64 = builder.getInt64Ty();
  Value *offset = builder.CreatePtrToInt(address.at, i64);
  Value *index = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateAShr(offset, TRANSFOLD_PART_BITS),
      builder.getInt64(0));
  Value *rest =
      builder.CreateSub(offset, builder.CreateShl(index, TRANSFOLD_PART_BITS));
  Value *part = builder.CreateLoad(
      i64, builder.CreateInBoundsGEP(i64, address.parts, index));
  const unsigned bytes = (element >> 8 & 0xff) / 8;
  return {part, builder.CreateAShr(rest, llvm::Log2_32(bytes))};
}

Value *host::BufferEmitter::fill(unsigned index, BufferContents contents) {
  Type *i32 = builder.getInt32Ty();
  PointerType *pointer = builder.getPtrTy();
  StructType *dimension = dimensionType(builder), *type = bufferType(builder);
  const bool onDevice = contents.address.parts;
  size_t rank = contents.dimensions.size() + onDevice;
  auto [buffer, dimensions, most] = slot(index, rank);
  auto store = [&](StructType *of, Value *at, unsigned field, Value *stored) {
    builder.CreateStore(stored, builder.CreateStructGEP(of, at, field));
  };
  Value *size = builder.getInt64(1);
  // Dense: the slowest dimension times its stride is the number of elements.
  if (!contents.dimensions.empty()) {
    auto [extent, stride] = contents.dimensions.back();
    size = builder.CreateMul(extent, stride);
  }
  Value *null = ConstantPointerNull::get(pointer);
  if (onDevice) {
    // An additional dimension encodes the position of the values in the memory.
    auto [part, first] = partOf(builder, contents.address, contents.element);
    size = builder.CreateAdd(first, size);
    contents.dimensions.push_back(
        {builder.CreateAdd(first, builder.getInt64(1)), builder.getInt64(1)});
    store(type, buffer, 0, part);
    store(type, buffer, 1, contents.interface);
    store(type, buffer, 2, null);
  } else {
    store(type, buffer, 0, builder.getInt64(0));
    store(type, buffer, 1, null);
    store(type, buffer, 2, contents.address.at);
  }
  noteSize(size);
  store(type, buffer, 3, builder.getInt64(0));
  store(type, buffer, 4, builder.getInt32(contents.element));
  store(type, buffer, 5, builder.getInt32(contents.dimensions.size()));
  store(type, buffer, 6, dimensions);
  store(type, buffer, 7, null);
  for (auto [number, size] : llvm::enumerate(contents.dimensions)) {
    Value *at =
        builder.CreateConstInBoundsGEP1_64(dimension, dimensions, number);
    store(dimension, at, 0, builder.getInt32(0));
    store(dimension, at, 1, builder.CreateTrunc(size.first, i32));
    store(dimension, at, 2, builder.CreateTrunc(size.second, i32));
    store(dimension, at, 3, builder.getInt32(0));
  }
  return buffer;
}
