// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws: properties that each operation states about itself, so that passes need
// not know the individual operations.

#ifndef TRANSFOLD_DIALECT_XFINTERFACES_TD
#define TRANSFOLD_DIALECT_XFINTERFACES_TD

include "mlir/IR/OpBase.td"

def Xf_BatchLawInterface : OpInterface<"BatchLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    How an operation behaves when the rows of several sequences are
    concatenated: either it processes each row independently, or it has to know
    where a sequence begins and ends. Axes with a length are rows; axes with a
    fixed size are not.
  }];
  let methods = [InterfaceMethod<
      "Rows where every row along a length is treated by itself.",
      "::transfold::xf::BatchLaw", "getBatchLaw", (ins), "",
      [{ return ::transfold::xf::BatchLaw::Rows; }]>];
}

// The default: each row is independent.
defvar Xf_Rows = Xf_BatchLawInterface;
// The operation's types decide; defined next to its verifier.
defvar Xf_RowsOrSequences =
    DeclareOpInterfaceMethods<Xf_BatchLawInterface, ["getBatchLaw"]>;

def Xf_GaugeLawInterface : OpInterface<"GaugeLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    How constant factors may move between the operands and the result of an
    operation (GaugeLaw.h). Folding relies on nothing else; an operation without
    a law keeps its operands and results as the equations have them.
  }];
  let methods = [InterfaceMethod<
      "States the law, once for each layer. The default: all gauges agree.",
      "void", "gaugeLaw", (ins "::transfold::xf::GaugeLaw &":$law), "",
      [{ ::transfold::xf::gaugesAgree($_op, law); }]>];
}

// The default: gauges of operands and result agree.
defvar Xf_GaugesAgree = Xf_GaugeLawInterface;
// Implemented in GaugeLaws.cpp.
defvar Xf_OwnGaugeLaw =
    DeclareOpInterfaceMethods<Xf_GaugeLawInterface, ["gaugeLaw"]>;

def Xf_ShiftLawInterface : OpInterface<"ShiftLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    How the result of an operation changes if a row vector is taken away from an
    operand (ShiftLaw.h). Moving biases relies on nothing else; an operation
    without this law does not allow it.
  }];
  let methods = [InterfaceMethod<
      "Returns what the result lacks; fails if the operation does not permit it.",
      "::mlir::FailureOr<::transfold::xf::Shift>", "shiftLaw",
      (ins "::mlir::OpOperand &":$operand,
           "const ::transfold::xf::Shift &":$shift,
           "::transfold::xf::ShiftLaw &":$law)>];
}

def Xf_GainLawInterface : OpInterface<"GainLawInterface"> {
  let cppNamespace = "::transfold::xf";
  let description = [{
    How the result of an operation changes if a gain is taken away from an
    operand (GainLaw.h). An operation without this law does not allow it.
  }];
  let methods = [InterfaceMethod<
      "Returns what the result lacks; fails if the operation does not permit it.",
      "::mlir::FailureOr<::transfold::xf::Gain>", "gainLaw",
      (ins "::mlir::OpOperand &":$operand,
           "const ::transfold::xf::Gain &":$gain,
           "::transfold::xf::GainLaw &":$law)>];
}

// Implemented in ShiftLaws.cpp and GainLaws.cpp.
defvar Xf_ShiftLaw =
    DeclareOpInterfaceMethods<Xf_ShiftLawInterface, ["shiftLaw"]>;
defvar Xf_GainLaw = DeclareOpInterfaceMethods<Xf_GainLawInterface, ["gainLaw"]>;

#endif // TRANSFOLD_DIALECT_XFINTERFACES_TD
