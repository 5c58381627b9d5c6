// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: a body is built in place, and then cut off from what is around it.
#include "frontend/Builder/GraphBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;

SmallVector<Value> GraphBuilder::loop(Value trips, ValueRange states, LoopBody body) {
  if (!trips || llvm::any_of(states, [](Value state) { return !state; })) {
    fail();
    return {};
  }
  Location place = location;
  // Takes the body in until it says how many results there are.
  auto draft = LoopOp::create(builder, place, TypeRange(), trips, states, ValueRange(), DimAttr());
  Block &block = draft.getBody().emplaceBlock();
  Value iteration = block.addArgument(RankedTensorType::get({}, i64()), place);
  for (Value state : states)
    block.addArgument(state.getType(), place);
  std::optional<SmallVector<Value>> yielded;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&block);
    Operation *around = std::exchange(outermostLoop, outermostLoop ? outermostLoop : draft.getOperation());
    yielded = body(iteration, block.getArguments().drop_front());
    outermostLoop = around;
    if (yielded && !llvm::is_contained(*yielded, Value()))
      YieldOp::create(builder, place, *yielded);
    else
      yielded.reset();
  }
  LoopOp loop = yielded ? addLoop(place, trips, states, draft.getBody()) : LoopOp();
  if (!loop) { // What is known of the body's values stays, so they do, too.
    fail();
    return {};
  }
  draft.erase();
  return SmallVector<Value>(loop.getResults());
}

LoopOp GraphBuilder::addLoop(Location place, Value trips, ValueRange states, Region &body) {
  size_t results = body.front().getTerminator()->getNumOperands();
  IRRewriter rewriter(context);
  SmallVector<Value> captures =
      makeRegionIsolatedFromAbove(rewriter, body, [](Operation *op) { return isa<ConstantOp>(op); });
  SmallVector<Type> types(results, UnrankedTensorType::get(f32()));
  auto loop = LoopOp::create(builder, place, types, trips, states, captures, DimAttr());
  loop.getBody().takeBody(body);
  return succeeded(settleTypes(loop)) ? loop : nullptr;
}
