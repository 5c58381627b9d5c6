// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of operations share.
#ifndef CTA_OP_BASE_TD
#define CTA_OP_BASE_TD

include "Cta/IR/CtaDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Cta_Op<string opMnemonic, list<Trait> traits = []> : Op<Cta_Dialect, opMnemonic, traits>;

class Cta_BarrierOp_<string opMnemonic, string text> : Cta_Op<opMnemonic> {
  let summary = text;
  let assemblyFormat = "attr-dict";
}

#endif // CTA_OP_BASE_TD
