// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of a buffer, and of views of it.
#include "compiler/Buffer/LastUse.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Operation *weft::buffer::findLastUse(Value buffer, Block *block) {
  Operation *last = nullptr;
  for (Operation *user : buffer.getUsers()) {
    Operation *at = isa<ViewLikeOpInterface>(user) ? findLastUse(user->getResult(0), block)
                                                   : block->findAncestorOpInBlock(*user);
    if (at && (!last || last->isBeforeInBlock(at)))
      last = at;
  }
  return last;
}
