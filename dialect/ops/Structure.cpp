// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights, entries, kernels and launches: assembly and verifiers.

#include "dialect/Labels.h"
#include "dialect/Lengths.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/TensorNames.h"

#include <llvm/ADT/SetVector.h>

#include <mlir/Interfaces/FunctionImplementation.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

void StoredOp::build(OpBuilder &builder, OperationState &state, StringAttr name,
                     ArrayAttr indices, DenseI64ArrayAttr extents,
                     TypeAttr type, SourceAttr source, LayoutAttr layout) {
  build(builder, state, name, indices, extents, type, source,
        /*chain=*/ChainAttr(), layout, /*times=*/ArrayAttr(),
        /*rounded=*/FormatAttr(), /*apart=*/IntegerAttr(),
        /*equalized=*/ArrayAttr(),
        /*weighing=*/FactorsAttr(), /*place=*/PlaceAttr());
}

void StoredOp::build(OpBuilder &builder, OperationState &state, StringAttr name,
                     ArrayAttr indices, DenseI64ArrayAttr extents,
                     RealType type) {
  SmallVector<int64_t> counts, sizes, strides;
  int64_t stride = 1;
  // Dense and row-major: the last axis has stride 1.
  for (Attribute axis : llvm::reverse(type.getShape())) {
    counts.push_back(1);
    sizes.insert(sizes.begin(), *getNumber(axis));
    strides.insert(strides.begin(), stride);
    stride *= sizes.front();
  }
  build(builder, state, name, indices, extents, TypeAttr::get(type),
        SourceAttr(),
        LayoutAttr::get(builder.getContext(), 0, counts, sizes, strides));
}

/// Verifies that the region takes one index for each index of the weight and
/// yields one member.
static LogicalResult verifyDerivation(StoredOp op) {
  Block &body = op.getDerivation().front();
  if (body.getNumArguments() != op.getExtents().size() ||
      !llvm::all_of(body.getArgumentTypes(),
                    [](Type type) { return type.isIndex(); }))
    return op.emitOpError(
        "its region must take one argument for each of its indices");
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getNumOperands() != 1 ||
      !isa<RealType>(yield.getOperand(0).getType()))
    return op.emitOpError("its region must yield one member");
  return success();
}

/// Verifies that the channels have as many members as the weight, and enough
/// values for the largest index.
static LogicalResult verifyFactors(StoredOp op, FactorsAttr factors,
                                   SymbolTableCollection &symbols) {
  auto channels = symbols.lookupNearestSymbolFrom<ChannelScalesOp>(
      op, factors.getChannels());
  if (!channels)
    return op.emitOpError()
           << "no xf.channel_scales are named " << factors.getChannels();
  if (channels.getMembers() != op.getMembers())
    return op.emitOpError()
           << "has " << op.getMembers() << " members, " << factors.getChannels()
           << " has " << channels.getMembers();
  ArrayRef<int64_t> numbers = factors.getNumbers();
  const int64_t most =
      numbers.empty()
          ? llvm::product_of(factors.getLayout().getSizes(), int64_t{1})
          : *llvm::max_element(numbers) + 1;
  if (most > static_cast<int64_t>(channels.getCount()))
    return op.emitOpError()
           << "has " << most << " channels, " << factors.getChannels()
           << " has " << channels.getCount();
  return success();
}

LogicalResult StoredOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getEqualized())
    for (auto factors : getEqualized()->getAsRange<FactorsAttr>())
      if (failed(verifyFactors(*this, factors, symbols)))
        return failure();
  if (getWeighing() && failed(verifyFactors(*this, *getWeighing(), symbols)))
    return failure();
  if (!getChain())
    return success();
  int64_t members = 0;
  for (auto name : getChain()->getParts().getAsRange<FlatSymbolRefAttr>()) {
    auto part = symbols.lookupNearestSymbolFrom<StoredOp>(*this, name);
    if (!part)
      return emitOpError() << "no xf.stored weight is named " << name;
    if (part.getType() != getType())
      return emitOpError() << "is " << getType() << ", but " << name << " is "
                           << part.getType();
    members += part.getMembers();
  }
  // A chain may have more members than the weight reads.
  if (int64_t left = members - getChain()->getSkipped(); left < getMembers())
    return emitOpError() << "has " << getMembers()
                         << " members, but the weights it takes them from have "
                         << left;
  return success();
}

/// Verifies that the layout has the axes of the weight, of known sizes.
static LogicalResult verifyLayout(StoredOp op) {
  auto type = cast<RealType>(op.getType());
  LayoutAttr layout = op.getLayout();
  if (layout.getRank() != type.getRank())
    return op.emitOpError() << "has " << type.getRank()
                            << " axes, but its layout has " << layout.getRank();
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    auto size = getNumber(type.getShape()[axis]);
    if (!size)
      return op.emitOpError("an axis of a stored weight cannot be a length");
    if (*size != layout.getExtent(axis))
      return op.emitOpError()
             << "axis " << axis << " has " << *size
             << " positions, but its layout has " << layout.getExtent(axis);
  }
  return success();
}

/// Verifies that there is one constant factor, or one for each member, and that
/// none is 0.
static LogicalResult verifyTimes(StoredOp op) {
  ArrayAttr times = op.getTimesAttr();
  if (!times)
    return success();
  if (times.size() != 1 &&
      static_cast<int64_t>(times.size()) != op.getMembers())
    return op.emitOpError() << "has " << op.getMembers() << " members and "
                            << times.size() << " factors";
  for (auto factor : times.getAsRange<ExactAttr>())
    if (factor.getValue().isZero())
      return op.emitOpError("must not be multiplied by 0");
  return success();
}

/// Verifies that a weight that is rounded, or has factors of channels, is read
/// from one tensor, that its format can be rounded to, and that only blocks
/// have values apart from them.
static LogicalResult verifyRounding(StoredOp op) {
  if (op.getRounded() && (!op.getSource() || op.getSource()->getTensors()))
    return op.emitOpError("is rounded, but is not read from one tensor");
  if ((op.getEqualized() || op.getWeighing()) &&
      (!op.getSource() || op.getSource()->getTensors()))
    return op.emitOpError("has factors of channels, but is not read from one "
                          "tensor");
  if (op.getRounded() && !canBeRoundedTo(*op.getRounded()))
    return op.emitOpError()
           << "cannot be rounded to " << stringifyFormat(*op.getRounded());
  if (op.getApart() &&
      (*op.getApart() < 1 || !op.getRounded() || !isInBlocks(*op.getRounded())))
    return op.emitOpError(
        "has values apart from its blocks, but is not rounded to blocks");
  return success();
}

/// Verifies that the name of the tensor contains the indices that distinguish
/// the members; the weight has a source.
static LogicalResult verifyTensorName(StoredOp op) {
  StringRef name = op.getSource()->getName();
  for (auto index : op.getIndices().getAsValueRange<StringAttr>())
    if (!op.getSource()->getStep() && !hasPlaceholder(name, index))
      return op.emitOpError()
             << "the name of its tensor lacks {" << index << "}";
  // Several tensors are distinguished only by their names, so the name must
  // contain each index.
  if (TensorsAttr tensors = op.getSource()->getTensors())
    for (auto [index, extent] :
         llvm::zip_equal(tensors.getIndices().getAsValueRange<StringAttr>(),
                         tensors.getExtents()))
      if (extent > 1 && !hasPlaceholder(name, index))
        return op.emitOpError()
               << "the name of its tensors lacks {" << index << "}";
  return success();
}

LogicalResult StoredOp::verify() {
  if (getIndices().size() != getExtents().size())
    return emitOpError("must have one extent for each index");
  if (failed(verifyLayout(*this)) || failed(verifyTimes(*this)))
    return failure();
  if (getSource().has_value() + getChain().has_value() +
          !getDerivation().empty() >
      1)
    return emitOpError(
        "must be only one of: a tensor, computed, members of other weights");
  if (failed(verifyRounding(*this)))
    return failure();
  if (!getDerivation().empty())
    return verifyDerivation(*this);
  if (!getSource())
    return getTimes() || getChain()
               ? success()
               : emitOpError("has neither a tensor nor factors");
  return verifyTensorName(*this);
}

int64_t StoredOp::getMembers() {
  return llvm::product_of(getExtents(), int64_t{1});
}

LayoutAttr StoredOp::getLayoutOf(int64_t member) {
  // Without a step, members are distinguished by the names of their tensors and
  // have one layout.
  LayoutAttr layout = getLayout();
  int64_t step = getSource() ? getSource()->getStep().value_or(0) : 0;
  return LayoutAttr::get(getContext(), layout.getOffset() + member * step,
                         layout.getFactorCounts(), layout.getSizes(),
                         layout.getStrides());
}

bool StoredOp::isWide() {
  return !getSource() || llvm::is_contained({Format::F32, Format::F64},
                                            heldIn(getSource()->getFormat()));
}

std::optional<Format> StoredOp::getExactFormat() {
  if (getRounded())
    return getRounded();
  if (isWide() || getSource()->getAdded() || getEqualized())
    return std::nullopt;
  for (int64_t member = 0; member < getMembers(); ++member)
    if (!getFactor(member).isOne())
      return std::nullopt;
  return heldIn(getSource()->getFormat());
}

ExactScalar StoredOp::getFactor(int64_t member) {
  ArrayAttr times = getTimesAttr();
  if (!times)
    return {};
  return cast<ExactAttr>(times[times.size() == 1 ? 0 : member]).getValue();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto stored =
      symbols.lookupNearestSymbolFrom<StoredOp>(*this, getStoredAttr());
  if (!stored)
    return emitOpError() << "no xf.stored weight is named " << getStoredAttr();
  if (stored.getType() != getResult().getType())
    return emitOpError() << "is " << getResult().getType() << ", but "
                         << getStoredAttr() << " is " << stored.getType();
  if (stored.getExtents().size() != getIndices().size())
    return emitOpError() << "has " << getIndices().size() << " indices, but "
                         << getStoredAttr() << " has "
                         << stored.getExtents().size();
  for (auto [index, name, extent] :
       llvm::zip(getIndices(), stored.getIndices(), stored.getExtents())) {
    auto layer = dyn_cast<BlockArgument>(index);
    auto loop = layer ? dyn_cast<LayersOp>(layer.getOwner()->getParentOp())
                      : LayersOp();
    // Only the index of a layer loop has a range that is known here.
    if (loop && static_cast<int64_t>(loop.getEnd()) > extent)
      return emitOpError() << "reads " << loop.getEnd() << " members of "
                           << getStoredAttr() << " along '"
                           << cast<StringAttr>(name).getValue()
                           << "', which has " << extent;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Entries and kernels
//===----------------------------------------------------------------------===//

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, Anchor anchor) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getAnchorAttrName(state.name),
                     AnchorAttr::get(builder.getContext(), anchor));
  state.addRegion();
}

/// Parses an entry or a kernel in the syntax of MLIR's functions.
template <typename Op>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &result) {
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      Op::getFunctionTypeAttrName(result.name), makeType,
      Op::getArgAttrsAttrName(result.name),
      Op::getResAttrsAttrName(result.name));
}

/// Prints what `parseFunction` accepts.
template <typename Op> static void printFunction(Op op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

/// The conditions that entries and kernels share: arguments are values of this
/// dialect, and the body ends with xf.return. FunctionOpInterface verifies that
/// the arguments of the block have the declared types.
template <typename Op> static LogicalResult verifyFunction(Op op) {
  for (Type type : op.getFunctionType().getInputs())
    if (!isa<RealType, IntegralType>(type))
      return op.emitOpError() << "must take xf values, not " << type;
  Block &body = op.getBody().front();
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return op.emitOpError("must end with xf.return");
  return success();
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<EntryOp>(parser, result);
}
void EntryOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }
LogicalResult EntryOp::verify() { return verifyFunction(*this); }

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

/// `storage`, or rows of float32 where an argument or result has none.
static StorageAttr orFloats(KernelOp kernel, StorageAttr storage) {
  return storage
             ? storage
             : StorageAttr::get(kernel.getContext(), Format::F32, PanelsAttr());
}

StorageAttr KernelOp::getStorage(unsigned argument) {
  return orFloats(*this, getArgAttrOfType<StorageAttr>(argument, "xf.storage"));
}

StorageAttr KernelOp::getResultStorage(unsigned result) {
  return orFloats(*this,
                  getResultAttrOfType<StorageAttr>(result, "xf.storage"));
}

Attribute KernelOp::getScheduleEntry(ScheduleParameter parameter) {
  return getScheduleAttr()
             ? getScheduleAttr().get(stringifyScheduleParameter(parameter))
             : Attribute();
}

std::optional<int64_t>
KernelOp::getScheduleNumber(ScheduleParameter parameter) {
  auto number = dyn_cast_or_null<IntegerAttr>(getScheduleEntry(parameter));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Checks the parameters of a schedule, which a file may have.
static LogicalResult verifySchedule(KernelOp kernel) {
  for (NamedAttribute entry : kernel.getScheduleAttr()) {
    auto parameter = symbolizeScheduleParameter(entry.getName());
    if (!parameter)
      return kernel.emitOpError() << "has a schedule with " << entry.getName()
                                  << ", which is not a parameter of schedules";
    const bool isBound = *parameter == ScheduleParameter::KeysFrom ||
                         *parameter == ScheduleParameter::KeysTo;
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (isBound ? isa<AffineMapAttr>(entry.getValue())
                : number && number.getValue().isSignedIntN(32) &&
                      number.getValue().isStrictlyPositive())
      continue;
    return kernel.emitOpError()
           << "has a schedule with " << entry.getName() << " = "
           << entry.getValue() << "; expected "
           << (isBound ? "an affine map" : "a positive number of 32 bits");
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (getFunctionType().getNumResults() == 0 ||
      (getFunctionType().getNumResults() > 1 && getAnchor() != Anchor::Scan))
    return emitOpError("must have one result, or the states of a recurrence "
                       "beside it");
  if (getScheduleAttr() && failed(verifySchedule(*this)))
    return failure();
  return verifyFunction(*this);
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(getOperands()) != TypeRange(function.getResultTypes()))
    return emitOpError() << "returns (" << getOperands().getTypes() << "), but "
                         << function.getNameAttr() << " has results ("
                         << function.getResultTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Whether a launch's type matches the kernel's, which has its own names for
/// lengths: two launches of one kernel may run it over different lengths.
static bool fits(Type launched, Type declared) {
  ArrayRef<Attribute> a = getShape(launched), b = getShape(declared);
  if (launched.getTypeID() != declared.getTypeID() || a.size() != b.size())
    return false;
  // Two lengths always fit here; verifySymbolUses compares their names.
  for (auto [x, y] : llvm::zip(a, b))
    if (getNumber(x) != getNumber(y))
      return false;
  return true;
}

void LaunchOp::build(OpBuilder &builder, OperationState &state, TypeRange types,
                     StringRef kernel, ValueRange operands) {
  build(builder, state, types, kernel, operands, /*buffer=*/BufferAttr(),
        /*state_buffers=*/ArrayAttr(), /*per_sequence=*/false,
        /*counted_by=*/IntegerAttr(),
        /*joined=*/JoinedAttr());
}

/// Launches are pure functions of their operands until they have a buffer: from
/// then on values share memory, and the program order of a buffer's writers and
/// readers must be kept.
static void
addEffects(bool hasBuffer,
           SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!hasBuffer)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void LaunchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(getBuffer().has_value(), effects);
}

void TransferOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(getBuffer().has_value(), effects);
}

Value LaunchOp::getRanks() {
  return getCountedBy() ? getOperands()[*getCountedBy()] : Value();
}

/// Verifies a launch that runs together with those before it.
static LogicalResult verifyJoined(LaunchOp launch) {
  auto last = dyn_cast_or_null<LaunchOp>(launch->getPrevNode());
  if (!last)
    return launch.emitOpError(
        "must directly follow the launch that it is joined to");
  const bool readsSameTasks = *launch.getJoined() == Joined::SameTasks;
  LaunchOp other = last;
  for (;;) {
    if (llvm::is_contained(launch.getOperands(), other.getResult()) &&
        !(other == last && readsSameTasks))
      return launch.emitOpError("runs together with a launch whose result it "
                                "reads");
    if (!other.getJoined())
      return success();
    other = dyn_cast_or_null<LaunchOp>(other->getPrevNode());
    if (!other) // that launch's own verifier reports this
      return success();
  }
}

LogicalResult LaunchOp::verify() {
  if (getResults().empty())
    return emitOpError("must have a result");
  if (getJoined() && failed(verifyJoined(*this)))
    return failure();
  if (!getCountedBy())
    return success();
  if (*getCountedBy() >= getOperands().size())
    return emitOpError() << "has no operand " << *getCountedBy()
                         << " to count its rows";
  ArrayRef<Attribute> ranks = getShape(getRanks().getType()),
                      rows = getShape(getResult().getType());
  if (ranks.size() != 1 || getNumber(ranks[0]))
    return emitOpError("must count its rows by ranks, one for each row");
  if (rows.empty() || getNumber(rows[0]))
    return emitOpError("must count rows along a length");
  return success();
}

KernelOp LaunchOp::lookUpKernel() {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "no xf.kernel is named " << getKernelAttr();
  FunctionType type = kernel.getFunctionType();
  if (type.getNumInputs() != getOperands().size())
    return emitOpError() << "passes " << getOperands().size() << " values to "
                         << getKernelAttr() << ", which takes "
                         << type.getNumInputs();
  for (auto [given, taken] :
       llvm::zip(getOperands().getTypes(), type.getInputs()))
    if (!fits(given, taken))
      return emitOpError() << "passes " << given << " where " << getKernelAttr()
                           << " takes " << taken;
  if (type.getNumResults() != getNumResults())
    return emitOpError() << "has " << getNumResults() << " results, but "
                         << getKernelAttr() << " has " << type.getNumResults();
  for (auto [given, made] : llvm::zip(getResultTypes(), type.getResults()))
    if (!fits(given, made))
      return emitOpError() << "gives " << given << ", but " << getKernelAttr()
                           << " gives " << made;
  // Each of the kernel's lengths must correspond to a single length of the
  // launch.
  SmallVector<std::pair<Type, Type>> pairs;
  for (auto [given, made] : llvm::zip(getResultTypes(), type.getResults()))
    pairs.emplace_back(given, made);
  for (auto [given, taken] :
       llvm::zip(getOperands().getTypes(), type.getInputs()))
    pairs.emplace_back(given, taken);
  DenseMap<Attribute, Attribute> lengths;
  for (auto [given, taken] : pairs)
    for (auto [here, there] : llvm::zip(getShape(given), getShape(taken))) {
      Attribute first = lengths.try_emplace(there, here).first->second;
      if (first != here)
        return emitOpError()
               << "length " << printAxis(there) << " of " << getKernelAttr()
               << " is " << printAxis(first) << " on one value and "
               << printAxis(here) << " on another";
    }
  return success();
}

/// Adds the lengths in a type that follow from others.
static void addDerived(Type type, llvm::SetVector<StringAttr> &lengths) {
  if (!isa<RealType, IntegralType>(type))
    return;
  for (Attribute axis : getShape(type))
    if (isDerived(axis))
      lengths.insert(cast<StringAttr>(axis));
}

/// The lengths in the order of their first occurrence in the arguments, then in
/// recalled caches, then those of values that follow from others.
SmallVector<StringAttr> EntryOp::getLengths() {
  llvm::SetVector<StringAttr> lengths;
  for (Type type : getFunctionType().getInputs())
    for (Attribute axis : getShape(type))
      if (auto length = dyn_cast<StringAttr>(axis))
        lengths.insert(length);
  walk([&](CacheReadOp recall) {
    for (Attribute axis : recall.getResult().getType().getShape())
      if (auto length = dyn_cast<StringAttr>(axis))
        lengths.insert(length);
  });
  walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      addDerived(type, lengths);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        addDerived(argument.getType(), lengths);
  });
  return lengths.takeVector();
}

BlockArgument EntryOp::getFirst() {
  for (BlockArgument argument : getBody().getArguments())
    if (getArgAttr(argument.getArgNumber(), "xf.first_of"))
      return argument;
  return {};
}

StringAttr EntryOp::getSeen(StringAttr length) {
  return StringAttr::get(length.getContext(), length.getValue() + ".seen");
}
