// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names formats as users know them: "bfloat16", "8 bits".

#include "compiler/driver/pipeline/DescribeRounding.h"

using namespace transfold;
using namespace transfold::driver;

static llvm::StringRef nameOf(fold::Weights to) {
  return to == fold::Weights::BF16   ? "bfloat16"
         : to == fold::Weights::Int8 ? "8 bits"
         : to == fold::Weights::Int5 ? "5 bits"
                                     : "4 bits";
}

static llvm::StringRef nameOf(fold::Products to) {
  return to == fold::Products::BF16 ? "bfloat16" : "8 bits";
}

std::string driver::roundedOf(const FoldOptions &fold) {
  return fold.weights == fold::Weights::Stored    ? "products"
         : fold.products == fold::Products::Exact ? "weights"
                                                  : "weights and products";
}

std::string driver::describeRounding(const FoldOptions &fold) {
  const llvm::StringRef weights = nameOf(fold.weights),
                        products = nameOf(fold.products);
  if (fold.weights == fold::Weights::Stored ||
      fold.products == fold::Products::Exact || weights == products)
    return roundedOf(fold) + " to " +
           (fold.weights == fold::Weights::Stored ? products : weights).str();
  return ("weights to " + weights + " and products to " + products).str();
}
