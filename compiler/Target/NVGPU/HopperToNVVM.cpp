// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX for sm_90a. Products of warpgroups keep to rules without which ptxas waits after each of them (C7510
// and the like): see begin and wait.
#include "compiler/Target/NVGPU/HopperToNVVM.h"
#include "compiler/Target/EntryBuilder.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

namespace {

class HopperLowering {
public:
  HopperLowering(Operation *op, Value maps, int64_t clusterBlocks)
      : builder(op), location(op->getLoc()), maps(maps), clusterBlocks(clusterBlocks) {}

  /// What an operation becomes, of the map of that number if it makes one.
  SmallVector<Value> lower(Operation *op, int64_t map);

private:
  SmallVector<Value> assemble(const Twine &text, const Twine &constraints, ValueRange operands,
                              TypeRange results = {});
  SmallVector<Value> say(const Twine &text) { return assemble(text, "~{memory}", {}); }
  /// An address in shared memory, as instructions of 32 bits take it.
  Value sharedAddress(Value memory, Value at) {
    return truncate(nvgpu::addressOf(builder, location, memory, at));
  }
  Value truncate(Value number) {
    if (number.getType().isIndex())
      number = arith::IndexCastOp::create(builder, location, builder.getI64Type(), number);
    return arith::TruncIOp::create(builder, location, builder.getI32Type(), number);
  }
  SmallVector<Value> lowerBarrier(Operation *op);
  SmallVector<Value> lowerTile(Operation *op);
  SmallVector<Value> lowerProduct(Operation *op);
  Value address(int64_t map);
  SmallVector<Value> positionOf(ValueRange position);
  SmallVector<Value> loadTile(cta::LoadTileOp op);
  SmallVector<Value> storeTile(cta::StoreTileOp op);
  SmallVector<Value> tie(ValueRange sums, const Twine &text);
  SmallVector<Value> begin(cta::BeginProductsOp op);
  SmallVector<Value> multiply(cta::WgmmaOp op);
  SmallVector<Value> multiply(cta::WgmmaFragmentOp op);
  SmallVector<Value> addProduct(ValueRange sums, ValueRange operands, Type element, StringRef prefix,
                                const Twine &matrices, StringRef constraints);
  Value pack(cta::PackOp op);

  OpBuilder builder;
  Location location;
  Value maps;
  int64_t clusterBlocks;
};

std::string repeat(StringRef text, size_t count) {
  return llvm::join(std::vector<std::string>(count, text.str()), ",");
}

std::string numbers(size_t first, size_t count, StringRef before, StringRef separator) {
  auto words = llvm::map_range(llvm::seq(first, first + count),
                               [&](size_t i) { return before.str() + std::to_string(i); });
  return llvm::join(words, separator);
}

/// "$2, $3, $4": operands of an assembly text; and "0,1,2": that they are where the first results are.
std::string operands(size_t first, size_t count) { return numbers(first, count, "$", ", "); }
std::string places(size_t count) { return numbers(0, count, "", ","); }

} // namespace

SmallVector<Value> HopperLowering::assemble(const Twine &text, const Twine &constraints, ValueRange inputs,
                                            TypeRange results) {
  MLIRContext *context = builder.getContext();
  Type type = LLVM::LLVMVoidType::get(context);
  if (results.size() == 1)
    type = results.front();
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(context, llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(
      builder, location, results.empty() ? TypeRange() : TypeRange(type), inputs, builder.getStringAttr(text),
      builder.getStringAttr(constraints), /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT), ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector_of<Value>(op->getResults());
  SmallVector<Value> fields;
  for (int64_t i = 0; i < int64_t(results.size()); ++i)
    fields.push_back(LLVM::ExtractValueOp::create(builder, location, op->getResult(0), ArrayRef<int64_t>{i}));
  return fields;
}

/// Maps lie one behind the other. What the launch copied there is to be seen by the unit that reads maps.
Value HopperLowering::address(int64_t map) {
  Value bytes = LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(map * 128));
  Value address = arith::AddIOp::create(builder, location, maps, bytes);
  assemble("fence.proxy.tensormap::generic.acquire.sys [$0], 128;", "l,~{memory}", address);
  return address;
}

SmallVector<Value> HopperLowering::lowerBarrier(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](cta::GroupBarrierOp) {
        Value thread = NVVM::ThreadIdXOp::create(builder, location, builder.getI32Type());
        auto constant = [&](int32_t value) -> Value {
          return LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
        };
        Value group =
            arith::DivUIOp::create(builder, location, thread, constant(cta::CtaDialect::kGroupThreads));
        Value name = arith::AddIOp::create(builder, location, group, constant(1));
        return assemble("bar.sync $0, " + Twine(cta::CtaDialect::kGroupThreads) + ";", "r,~{memory}", name);
      })
      .Case([&](cta::ClusterBarrierOp) {
        return say("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;");
      })
      .Case([&](cta::MbarrierInitOp init) {
        return assemble("mbarrier.init.shared::cta.b64 [$0], " + Twine(init.getArrivals()) +
                            ";\nfence.mbarrier_init.release.cluster;",
                        "r,~{memory}", sharedAddress(init.getBarriers(), init.getAt()));
      })
      .Case([&](cta::MbarrierArriveOp arriving) {
        Value barrier = sharedAddress(arriving.getBarriers(), arriving.getAt());
        if (arriving.getBlock())
          return assemble("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, $0, $1;\n"
                          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}",
                          "r,r,~{memory}", {barrier, truncate(arriving.getBlock())});
        if (arriving.getBytes() == 0)
          return assemble("mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", barrier);
        return assemble("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + Twine(arriving.getBytes()) +
                            ";",
                        "r,~{memory}", barrier);
      })
      .Case([&](cta::MbarrierWaitOp waiting) {
        return assemble("{\n.reg .pred done;\nagain:\n"
                        "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
                        "@done bra ended;\nbra again;\nended:\n}",
                        "r,r,~{memory}",
                        {sharedAddress(waiting.getBarriers(), waiting.getAt()), waiting.getParity()});
      });
}

/// The innermost dim's comes first.
SmallVector<Value> HopperLowering::positionOf(ValueRange position) {
  return llvm::map_to_vector(llvm::reverse(position), [&](Value each) { return truncate(each); });
}

/// The map is an address by now, which its accessor does not take.
SmallVector<Value> HopperLowering::loadTile(cta::LoadTileOp op) {
  SmallVector<Value> inputs{sharedAddress(op.getTo(), op.getPlace()), op.getMapMutable().get(),
                            sharedAddress(op.getBarriers(), op.getAt())};
  size_t rank = op.getPosition().size();
  llvm::append_range(inputs, positionOf(op.getPosition()));
  std::string toMany, mask, maskConstraint;
  if (op.getToCluster()) {
    inputs.push_back(
        LLVM::ConstantOp::create(builder, location, builder.getI16IntegerAttr((1 << clusterBlocks) - 1)));
    toMany = ".multicast::cluster", mask = ", " + operands(3 + rank, 1), maskConstraint = ",h";
  }
  return assemble("cp.async.bulk.tensor." + Twine(rank) +
                      "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" + toMany +
                      " [$0], [$1, {" + operands(3, rank) + "}], [$2]" + mask + ";",
                  "r,l,r," + repeat("r", rank) + maskConstraint + ",~{memory}", inputs);
}

SmallVector<Value> HopperLowering::storeTile(cta::StoreTileOp op) {
  SmallVector<Value> inputs{sharedAddress(op.getFrom(), op.getPlace()), op.getMapMutable().get()};
  size_t rank = op.getPosition().size();
  llvm::append_range(inputs, positionOf(op.getPosition()));
  return assemble("cp.async.bulk.tensor." + Twine(rank) + "d.global.shared::cta.tile.bulk_group [$1, {" +
                      operands(2, rank) + "}], [$0];",
                  "r,l," + repeat("r", rank) + ",~{memory}", inputs);
}

/// Sums behind a text, each in the register where it was.
SmallVector<Value> HopperLowering::tie(ValueRange sums, const Twine &text) {
  size_t count = sums.size();
  SmallVector<Type> types(count, builder.getF32Type());
  return assemble(text, repeat("=f", count) + "," + places(count) + ",~{memory}", sums, types);
}

/// All that moves sums to their registers comes before the fence.
SmallVector<Value> HopperLowering::begin(cta::BeginProductsOp op) {
  SmallVector<Value> sums = tie(op.getSums(), "");
  say("wgmma.fence.sync.aligned;");
  return sums;
}

/// A wgmma whose sums, which are each in one register before and behind it, come before its operands.
SmallVector<Value> HopperLowering::addProduct(ValueRange sums, ValueRange others, Type element,
                                              StringRef prefix, const Twine &matrices,
                                              StringRef constraints) {
  size_t count = sums.size();
  SmallVector<Value> inputs(sums);
  llvm::append_range(inputs, others);
  std::string name = element.isBF16() ? "bf16" : "f16";
  std::string text = "{\n.reg .pred keeps;\nsetp.ne.b32 keeps, " + prefix.str() +
                     ", 0;\nwgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * count) + "k16.f32." +
                     name + "." + name + " {" + operands(0, count) + "}, " + matrices.str() + ";\n}";
  SmallVector<Type> types(count, builder.getF32Type());
  return assemble(text, repeat("=f", count) + "," + places(count) + "," + constraints.str(), inputs, types);
}

SmallVector<Value> HopperLowering::multiply(cta::WgmmaOp op) {
  size_t first = 2 * op.getSums().size();
  Value keeps = arith::ExtUIOp::create(builder, location, builder.getI32Type(), op.getKeeps());
  return addProduct(op.getSums(), {op.getA(), op.getB(), keeps}, op.getElement(), operands(first + 2, 1),
                    operands(first, 2) + ", keeps, 1, 1, 0, " + (op.getTransposed() ? "1" : "0"), "l,l,r");
}

SmallVector<Value> HopperLowering::multiply(cta::WgmmaFragmentOp op) {
  size_t first = 2 * op.getSums().size();
  return addProduct(op.getSums(), {op.getA0(), op.getA1(), op.getA2(), op.getA3(), op.getB()},
                    op.getElement(), "1",
                    "{" + operands(first, 4) + "}, " + operands(first + 4, 1) + ", keeps, 1, 1, " +
                        (op.getTransposed() ? "1" : "0"),
                    "r,r,r,r,l");
}

/// Where it is: a word of a fragment that is being multiplied must not become the next one before that has
/// ended.
Value HopperLowering::pack(cta::PackOp op) {
  std::string name = op.getElement().isBF16() ? "bf16x2" : "f16x2";
  return assemble("cvt.rn." + name + ".f32 $0, $1, $2;", "=r,f,f", {op.getHigh(), op.getLow()},
                  builder.getI32Type())
      .front();
}

SmallVector<Value> HopperLowering::lowerTile(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](cta::LoadTileOp load) { return loadTile(load); })
      .Case([&](cta::StoreTileOp store) { return storeTile(store); })
      .Case([&](cta::FenceAsyncOp) { return say("fence.proxy.async.shared::cta;"); })
      .Case([&](cta::CommitStoresOp) { return say("cp.async.bulk.commit_group;"); })
      .Case([&](cta::WaitStoresOp waiting) {
        return say("cp.async.bulk.wait_group.read " + Twine(waiting.getPending()) + ";");
      });
}

SmallVector<Value> HopperLowering::lowerProduct(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](cta::NoSumsOp) {
        SmallVector<Value> sums;
        for (size_t i = 0; i < op->getNumResults(); ++i)
          sums.push_back(LLVM::PoisonOp::create(builder, location, builder.getF32Type()));
        return sums;
      })
      .Case([&](cta::BeginProductsOp beginning) { return begin(beginning); })
      .Case([&](cta::WgmmaOp product) { return multiply(product); })
      .Case([&](cta::WgmmaFragmentOp product) { return multiply(product); })
      .Case([&](cta::CommitProductsOp) { return say("wgmma.commit_group.sync.aligned;"); })
      .Case([&](cta::WaitProductsOp waiting) { // sums that are read behind it are read behind it
        return tie(waiting.getSums(),
                   "wgmma.wait_group.sync.aligned " + std::to_string(waiting.getPending()) + ";");
      })
      .Case([&](cta::SharedAddressOp address) {
        return SmallVector<Value>{nvgpu::addressOf(builder, location, address.getMemory(), address.getAt())};
      });
}

SmallVector<Value> HopperLowering::lower(Operation *op, int64_t map) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<cta::GroupBarrierOp, cta::ClusterBarrierOp, cta::MbarrierInitOp, cta::MbarrierArriveOp,
            cta::MbarrierWaitOp>([&](Operation *barrier) { return lowerBarrier(barrier); })
      .Case<cta::LoadTileOp, cta::StoreTileOp, cta::FenceAsyncOp, cta::CommitStoresOp, cta::WaitStoresOp>(
          [&](Operation *tile) { return lowerTile(tile); })
      .Case([&](cta::PackOp pair) { return SmallVector<Value>{pack(pair)}; })
      .Case<cta::NoSumsOp, cta::BeginProductsOp, cta::WgmmaOp, cta::WgmmaFragmentOp, cta::CommitProductsOp,
            cta::WaitProductsOp, cta::SharedAddressOp>(
          [&](Operation *product) { return lowerProduct(product); })
      .Case([&](cta::TensorMapOp) { return SmallVector<Value>{address(map)}; })
      .Case([&](cta::GridSizeOp) {
        Value size = NVVM::GridDimXOp::create(builder, location, builder.getI32Type());
        return SmallVector<Value>{
            arith::IndexCastUIOp::create(builder, location, builder.getIndexType(), size)};
      })
      .Case([&](cta::ElectOp) {
        return SmallVector<Value>{NVVM::ElectSyncOp::create(builder, location, builder.getI1Type(), Value())};
      })
      .Case([&](cta::SetRegistersOp set) {
        return say("setmaxnreg." + std::string(set.getMore() ? "inc" : "dec") + ".sync.aligned.u32 " +
                   std::to_string(set.getRegisters()) + ";");
      });
}

bool weft::nvgpu::isHopper(Operation *op) {
  return isa<cta::GridSizeOp, cta::ElectOp, cta::SetRegistersOp, cta::GroupBarrierOp, cta::ClusterBarrierOp,
             cta::FenceAsyncOp, cta::MbarrierInitOp, cta::MbarrierArriveOp, cta::MbarrierWaitOp,
             cta::TensorMapOp, cta::LoadTileOp, cta::StoreTileOp, cta::CommitStoresOp, cta::WaitStoresOp,
             cta::SharedAddressOp, cta::NoSumsOp, cta::BeginProductsOp, cta::WgmmaOp, cta::WgmmaFragmentOp,
             cta::CommitProductsOp, cta::WaitProductsOp>(op);
}

void weft::nvgpu::lowerHopper(Region &kernel, Value maps, int64_t clusterBlocks) {
  SmallVector<Operation *> ops;
  bool hasProducts = false;
  kernel.walk([&](Operation *op) {
    hasProducts |= isa<cta::BeginProductsOp>(op);
    if (isHopper(op) || isa<cta::PackOp>(op))
      ops.push_back(op);
  });
  if (!hasProducts)
    llvm::erase_if(ops, [](Operation *op) { return isa<cta::PackOp>(op); });
  int64_t nextMap = 0;
  for (Operation *op : ops) {
    bool isMap = isa<cta::TensorMapOp>(op);
    SmallVector<Value> values = HopperLowering(op, maps, clusterBlocks).lower(op, nextMap);
    nextMap += isMap;
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
      result.replaceAllUsesWith(value);
    op->erase();
  }
  takeNumbersForSums(kernel);
}

void weft::nvgpu::takeNumbersForSums(Region &kernel) {
  Type number = Float32Type::get(kernel.getContext());
  auto change = [&](Value value) {
    if (isa<cta::PendingType>(value.getType()))
      value.setType(number);
  };
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), change);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), change);
  });
}
