// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-choose-schedules: what tables have for products.
#include "compiler/Tile/Passes.h"
#include "compiler/Tile/ScheduleTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace weft::tile {
#define GEN_PASS_DEF_CHOOSESCHEDULES
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

struct ChooseSchedules : tile::impl::ChooseSchedulesBase<ChooseSchedules> {
  using ChooseSchedulesBase::ChooseSchedulesBase;

  void runOnOperation() override {
    std::optional<Schedule> given = Schedule::parse(schedule);
    if (!given) {
      getOperation().emitError() << "weft-choose-schedules: '" << schedule.getValue() << "' is no schedule";
      return signalPassFailure();
    }
    if (failed(readTable()))
      return signalPassFailure();
    getOperation().walk([&](MatmulOp op) {
      std::optional<Product> product = Product::of(op);
      if (!product || op->hasAttr("weft.schedule"))
        return;
      SmallVector<Attribute> schedules = schedule.empty() ? find(*product) : give(*product, *given);
      if (marks)
        op->setAttr(names::kProduct, describe(*product, /*isTried=*/!schedule.empty() && !schedules.empty()));
      if (!schedules.empty())
        op->setAttr(names::kSchedules, ArrayAttr::get(&getContext(), schedules));
    });
  }

private:
  bool isForGPU() const { return target == "gpu"; }

  /// The file's entries and, behind them, those that are known.
  LogicalResult readTable() {
    if (!table.empty()) {
      auto text = llvm::MemoryBuffer::getFile(table);
      if (!text)
        return getOperation().emitError()
               << table.getValue() << ": cannot be read: " << text.getError().message() << " [weft-0400]";
      llvm::Expected<std::vector<ScheduleEntry>> read = parseSchedules((*text)->getBuffer());
      if (!read)
        return getOperation().emitError()
               << table.getValue() << ": is no table of schedules: " << llvm::toString(read.takeError())
               << " [weft-0307]";
      entries = std::move(*read);
    }
    for (const ScheduleEntry &entry : entries) {
      std::string problem = isOfMachine(entry) ? whyNot(entry.schedule, entry.product, isForGPU()) : "";
      if (!problem.empty())
        return getOperation().emitError()
               << table.getValue() << ": the schedule of " << entry.product.type << ", " << entry.product.rows
               << " rows, " << entry.product.columns << " columns, depth " << entry.product.depth << ", on "
               << entry.machine << ": " << problem << " [weft-0307]";
    }
    llvm::append_range(entries, getKnownSchedules());
    return success();
  }

  bool isOfMachine(const ScheduleEntry &entry) const { return llvm::is_contained(machines, entry.machine); }

  /// Those for a product of any number of rows or, where that is known, of its own; of several for as many
  /// rows the one that counts most.
  SmallVector<Attribute> find(const Product &product) {
    std::map<int64_t, Schedule> found;
    for (const std::string &machine : machines)
      for (const ScheduleEntry &entry : entries)
        if (entry.machine == machine && entry.product.isLike(product) &&
            (ShapedType::isDynamic(product.rows) || entry.product.rows == product.rows))
          found.try_emplace(entry.product.rows, entry.schedule);
    return llvm::map_to_vector(found, [&](const auto &each) -> Attribute {
      return each.second.toAttribute(&getContext(), each.first);
    });
  }

  /// The schedule, if the product can have it: of an unknown number of rows few of them, or all others.
  SmallVector<Attribute> give(const Product &product, const Schedule &given) {
    constexpr int64_t kFew = 1, kOthers = 0;
    SmallVector<Attribute> schedules;
    auto giveFor = [&](int64_t rows, int64_t ofRows) {
      if (whyNot(given, {product.type, rows, product.columns, product.depth}, isForGPU()).empty())
        schedules.push_back(given.toAttribute(&getContext(), ofRows));
    };
    if (!ShapedType::isDynamic(product.rows)) {
      giveFor(product.rows, product.rows);
    } else {
      giveFor(kFew, kFew);
      giveFor(product.rows, kOthers);
    }
    return schedules;
  }

  DictionaryAttr describe(const Product &product, bool isTried) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> attributes{
        builder.getNamedAttr("type", builder.getStringAttr(product.type)),
        builder.getNamedAttr("columns", builder.getI64IntegerAttr(product.columns)),
        builder.getNamedAttr("depth", builder.getI64IntegerAttr(product.depth))};
    if (isTried)
      attributes.push_back(builder.getNamedAttr("tried", builder.getUnitAttr()));
    return builder.getDictionaryAttr(attributes);
  }

  std::vector<ScheduleEntry> entries;
};

} // namespace
