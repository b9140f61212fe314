// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws: what each operation says of itself, so that passes need not know the
// operations.

#ifndef TRANSFOLD_DIALECT_XFINTERFACES_TD
#define TRANSFOLD_DIALECT_XFINTERFACES_TD

include "mlir/IR/OpBase.td"

def Xf_BatchLawInterface : OpInterface<"BatchLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    What becomes of an operation when the rows of several sequences lie behind
    each other: it treats each row by itself, or it has to see where a sequence
    begins and ends. Axes with a length are rows; axes with a number are not.
  }];
  let methods = [InterfaceMethod<
      "Rows where every row along a length is treated by itself.",
      "::transfold::xf::BatchLaw", "getBatchLaw", (ins), "",
      [{ return ::transfold::xf::BatchLaw::Rows; }]>];
}

// The default: each row by itself.
defvar Xf_Rows = Xf_BatchLawInterface;
// The operation's types decide; defined beside its verifier.
defvar Xf_RowsOrSequences =
    DeclareOpInterfaceMethods<Xf_BatchLawInterface, ["getBatchLaw"]>;

def Xf_GaugeLawInterface : OpInterface<"GaugeLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    What an operation lets happen to constant factors of its operands and result
    (GaugeLaw.h). Folding asks nothing else of it; an operation without a law
    keeps its operands and results as the equations have them.
  }];
  let methods = [InterfaceMethod<
      "States the law, once for each layer. The default: all gauges agree.",
      "void", "gaugeLaw", (ins "::transfold::xf::GaugeLaw &":$law), "",
      [{ ::transfold::xf::gaugesAgree($_op, law); }]>];
}

// The default: gauges of operands and result agree.
defvar Xf_GaugesAgree = Xf_GaugeLawInterface;
// Written in GaugeLaws.cpp.
defvar Xf_OwnGaugeLaw =
    DeclareOpInterfaceMethods<Xf_GaugeLawInterface, ["gaugeLaw"]>;

def Xf_ShiftLawInterface : OpInterface<"ShiftLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    What an operation's result lacks where an operand lacks a row of numbers
    (ShiftLaw.h). Moving biases asks nothing else of it; an operation without
    this law objects.
  }];
  let methods = [InterfaceMethod<
      "What the result lacks; fails where the operation objects.",
      "::mlir::FailureOr<::transfold::xf::Shift>", "shiftLaw",
      (ins "::mlir::OpOperand &":$operand,
           "const ::transfold::xf::Shift &":$shift,
           "::transfold::xf::ShiftLaw &":$law)>];
}

def Xf_GainLawInterface : OpInterface<"GainLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    What an operation's result lacks where an operand lacks a gain (GainLaw.h).
    An operation without this law objects.
  }];
  let methods = [InterfaceMethod<
      "What the result lacks; fails where the operation objects.",
      "::mlir::FailureOr<::transfold::xf::Gain>", "gainLaw",
      (ins "::mlir::OpOperand &":$operand,
           "const ::transfold::xf::Gain &":$gain,
           "::transfold::xf::GainLaw &":$law)>];
}

// Written in ShiftLaws.cpp and GainLaws.cpp.
defvar Xf_ShiftLaw =
    DeclareOpInterfaceMethods<Xf_ShiftLawInterface, ["shiftLaw"]>;
defvar Xf_GainLaw = DeclareOpInterfaceMethods<Xf_GainLawInterface, ["gainLaw"]>;

#endif // TRANSFOLD_DIALECT_XFINTERFACES_TD
