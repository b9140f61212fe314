// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The xf dialect: transformer equations for one sequence. Values are exact real
// (or integer) tensors; the operations do not state how values are stored.

#ifndef TRANSFOLD_DIALECT_XFDIALECT_TD
#define TRANSFOLD_DIALECT_XFDIALECT_TD

include "mlir/IR/OpBase.td"

def Xf_Dialect : Dialect {
  let name = "xf";
  let cppNamespace = "::transfold::xf";
  let summary = "Transformer equations for one sequence";
  let description = [{
    A model is a module of `xf.stored` weights, which stay in their files, and
    `xf.entry` functions. Operations carry the labels of index notation, so a
    product over a family of heads reads as it does on paper:

    ```mlir
    %Q = xf.contract %x[n, k], %W_Q[i, k, c] -> [i, n, c]
           : <n, 384>, <12, 384, 32>
    ```

    There is no batch axis, no padding, no cache, no layout and no attention
    operation: later passes derive all of these.
  }];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // Verifies the attributes of the arguments and results of entries and
  // kernels.
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // TRANSFOLD_DIALECT_XFDIALECT_TD
