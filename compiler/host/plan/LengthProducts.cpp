// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the products of lengths that occur in the types of an entry's
// values.

#include "compiler/host/plan/LengthProducts.h"

using namespace mlir;
using namespace transfold;

host::LengthProducts::LengthProducts(xf::EntryOp entry,
                                     DenseMap<Attribute, Attribute> sources)
    : lengths(entry.getLengths()), sources(std::move(sources)) {
  auto note = [&](Value value) {
    if (!isa<xf::RealType, xf::IntegralType>(value.getType()))
      return;
    Product product = numbersOf(value.getType());
    if (product.size() > 1 && !llvm::is_contained(found, product))
      found.push_back(product);
  };
  entry.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), note);
    llvm::for_each(op->getResults(), note);
  });
}

host::LengthProducts::Product host::LengthProducts::numbersOf(Type type) const {
  Product numbers;
  for (Attribute axis : xf::getShape(type)) {
    if (xf::getNumber(axis))
      continue;
    Attribute source = sources.lookup(axis);
    numbers.push_back(llvm::find(lengths, source ? source : axis) -
                      lengths.begin());
  }
  llvm::sort(numbers);
  return numbers;
}

std::optional<unsigned> host::LengthProducts::of(Type type) const {
  Product numbers = numbersOf(type);
  if (numbers.empty())
    return std::nullopt;
  if (numbers.size() == 1)
    return numbers[0];
  return lengths.size() + (llvm::find(found, numbers) - found.begin());
}
