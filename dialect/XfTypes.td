// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of values. A value is a tensor of real numbers or of integers; it
// has no element type, since rounding is an operation and storage an attribute.

#ifndef TRANSFOLD_DIALECT_XFTYPES_TD
#define TRANSFOLD_DIALECT_XFTYPES_TD

include "dialect/XfDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Xf_Shaped<string cppName, string typeMnemonic, string what>
    : TypeDef<Xf_Dialect, cppName> {
  let mnemonic = typeMnemonic;
  let summary = "a tensor of " # what;
  let description = [{
    An axis is a fixed size, or the name of a length of the sequence, which is
    known only when the program runs: `<n, 384>`. `<>` is a scalar. A length
    that follows from others is an expression of them in normal form, as
    `base/exact/Dim.h` prints it: `<"(n + 240) div 320 - 1", 384>`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$shape);
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
  }];
}

def Xf_Real : Xf_Shaped<"Real", "real", "real numbers">;
def Xf_Integer : Xf_Shaped<"Integral", "integer", "integers: tokens and indices">;

// A scalar operand that a kernel multiplies with.
def Xf_Scalar : Type<
    And<[Xf_Real.predicate,
         CPred<"::llvm::cast<::transfold::xf::RealType>($_self).getRank() == 0">]>,
    "a real number, !xf.real<>", "::transfold::xf::RealType">,
  BuildableType<"::transfold::xf::RealType::get($_builder.getContext(), {})">;

// The position of a value's first row in its sequence, counted from 0.
def Xf_Position : Type<
    And<[Xf_Integer.predicate,
         CPred<"::llvm::cast<::transfold::xf::IntegralType>($_self).getRank() == 0">]>,
    "a position, !xf.integer<>", "::transfold::xf::IntegralType">,
  BuildableType<"::transfold::xf::IntegralType::get($_builder.getContext(), {})">;

def Xf_Value : AnyTypeOf<[Xf_Real, Xf_Integer]>;

#endif // TRANSFOLD_DIALECT_XFTYPES_TD
