// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a vector of small elements by the words that contain it.

#include "compiler/kernels/build/loads/WideLoads.h"

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

/// The index of element `first` of a buffer, counted in elements that are
/// `times` as large; undefined if it is not known to be at the beginning of
/// one.
static Expr placeIn(const Expr &first, const ModulusRemainder &alignment,
                    int times) {
  if (alignment.modulus % times || alignment.remainder % times)
    return Expr();
  return simplify(first / times);
}

Expr WideLoads::visit(const Load *load) {
  const auto *ramp = load->index.as<Ramp>();
  const int bytes = load->type.bytes() * load->type.lanes();
  if (!load->param.defined() || !is_const_one(load->predicate) || !ramp ||
      !is_const_one(ramp->stride) || load->type.bytes() > 2 ||
      (bytes != 16 && bytes != 8 && bytes != 4))
    return IRMutator::visit(load);
  Expr first = placeIn(ramp->base, load->alignment, load->type.lanes());
  if (!first.defined())
    return IRMutator::visit(load);
  // The words of 16 bytes are a vector that Halide loads at once.
  const Type wide = bytes == 16 ? UInt(32, 4) : UInt(8 * bytes);
  Expr index = bytes == 16 ? Ramp::make(simplify(first * 4), 1, 4) : first;
  const ModulusRemainder alignment =
      load->alignment / (load->type.lanes() / wide.lanes());
  return reinterpret(
      load->type, Load::make(wide, load->name, index, load->image, load->param,
                             const_true(wide.lanes()), alignment));
}

} // namespace transfold::kernels
