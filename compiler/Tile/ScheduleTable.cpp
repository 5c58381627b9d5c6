// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of schedules as text.
#include "compiler/Tile/ScheduleTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;

/// Schedules.json, which CMake puts into a file of its own.
extern const char *const weftKnownSchedules;

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, int64_t Schedule::*> kSizes[] = {
    {"rows", &Schedule::rows},
    {"columns", &Schedule::columns},
    {"hopper_columns", &Schedule::hopperColumns},
    {"hopper_cluster", &Schedule::hopperCluster},
    {"parts", &Schedule::parts}};

bool Schedule::operator==(const Schedule &other) const {
  return llvm::all_of(kSizes, [&](auto size) { return this->*size.second == other.*size.second; });
}

std::string Schedule::toString() const {
  SmallVector<std::string> sizes;
  for (auto [name, size] : kSizes)
    if (this->*size)
      sizes.push_back((name + "=" + Twine(this->*size)).str());
  return llvm::join(sizes, ",");
}

std::optional<Schedule> Schedule::parse(StringRef text) {
  Schedule schedule;
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    auto known = llvm::find_if(kSizes, [name = name](auto size) { return size.first == name; });
    if (known == std::end(kSizes) || value.getAsInteger(10, schedule.*known->second))
      return std::nullopt;
  }
  return schedule;
}

static constexpr llvm::StringLiteral kOfRows = "of_rows";

DictionaryAttr Schedule::toAttribute(MLIRContext *context, int64_t ofRows) const {
  Builder builder(context);
  SmallVector<NamedAttribute> attributes;
  auto append = [&](StringRef name, int64_t size) {
    if (size)
      attributes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
  };
  append(kOfRows, ofRows);
  for (auto [name, size] : kSizes)
    append(name, this->*size);
  return builder.getDictionaryAttr(attributes);
}

std::pair<int64_t, Schedule> Schedule::ofAttribute(DictionaryAttr attribute) {
  auto get = [&](StringRef name) {
    auto size = attribute.getAs<IntegerAttr>(name);
    return size ? size.getInt() : 0;
  };
  Schedule schedule;
  for (auto [name, size] : kSizes)
    schedule.*size = get(name);
  return {get(kOfRows), schedule};
}

Schedule weft::findSchedule(MatmulOp op, llvm::function_ref<bool(int64_t ofRows)> takes) {
  std::pair<int64_t, Schedule> best{-1, {}};
  if (auto all = op->getAttrOfType<ArrayAttr>(names::kSchedules))
    for (auto attribute : all.getAsRange<DictionaryAttr>())
      if (auto each = Schedule::ofAttribute(attribute); each.first > best.first && takes(each.first))
        best = each;
  return best.second;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<Product> Product::of(MatmulOp op) {
  SmallVector<Dim> dims = getDims(op.getType());
  std::optional<SmallVector<Dim>> lhs = getDims(op.getLhs()), rhs = getDims(op.getRhs());
  if (!lhs || !rhs || dims.size() < 2 || lhs->size() != dims.size())
    return std::nullopt;
  std::optional<int64_t> columns = dims.back().getConstant(), depth = lhs->back().getConstant();
  if (!columns || !depth || !(op.getPackedColumns() || rhs->size() == 2))
    return std::nullopt;
  Type rows = getElementTypeOrSelf(op.getLhs()), weights = getElementTypeOrSelf(op.getRhs());
  std::string type = op.getTf32() ? "tf32" : textOf(rows);
  if (op.getGroups())
    type += " x " + textOf(weights) + " in groups";
  else if (weights != rows)
    type += " x " + textOf(weights);
  Dim all = Dim::product(op.getContext(), ArrayRef(dims).drop_back());
  return Product{type, all.getConstant().value_or(ShapedType::kDynamic), *columns, *depth};
}

bool Product::isLike(const Product &other) const {
  return type == other.type && columns == other.columns && depth == other.depth;
}

static std::string whyNotOnCPU(const Schedule &schedule) {
  constexpr int64_t kMostRows = 4096;
  if (schedule.columns || schedule.hopperColumns || schedule.hopperCluster || schedule.parts)
    return "for CPUs there are rows alone";
  return schedule.rows <= kMostRows ? "" : "rows are at most " + std::to_string(kMostRows);
}

static std::string whyNotOnGPU(const Schedule &schedule, const Product &product) {
  constexpr int64_t kUnitOfParts = 64;
  auto isOneOf = [](int64_t size, std::initializer_list<int64_t> sizes) {
    return size == 0 || llvm::is_contained(sizes, size);
  };
  if (!ShapedType::isDynamic(product.rows) && product.rows <= kMostFewRows) {
    if (schedule.rows || schedule.hopperColumns || schedule.hopperCluster || schedule.parts)
      return "for at most 8 rows there are columns alone";
    return isOneOf(schedule.columns, {8, 16, 32}) ? "" : "for at most 8 rows columns are 8, 16 or 32";
  }
  bool isWide = product.type == "f64" || product.type == "i64" || product.type == "ui64";
  if (isWide && !(isOneOf(schedule.rows, {64}) && isOneOf(schedule.columns, {64})))
    return "rows and columns of 64 bits are 64";
  if (!isOneOf(schedule.rows, {64, 128}) || !isOneOf(schedule.columns, {64, 128}))
    return "rows and columns are 64 or 128";
  if (!isOneOf(schedule.hopperColumns, {64, 128, 256}))
    return "hopper_columns are 64, 128 or 256";
  if (!isOneOf(schedule.hopperCluster, {1, 2}))
    return "a hopper_cluster is of 1 or 2";
  if (schedule.hopperCluster == 2 && schedule.hopperColumns == 64)
    return "a hopper_cluster of 2 has 128 or 256 hopper_columns";
  if (schedule.parts * kUnitOfParts > product.depth)
    return "parts of the depth are 64 or more";
  bool hasParts = StringRef(product.type).contains('f') || StringRef(product.type).starts_with("ui8 x");
  return schedule.parts <= 1 || hasParts ? "" : "products of integers have no parts";
}

std::string weft::whyNot(const Schedule &schedule, const Product &product, bool isForGPU) {
  if (llvm::any_of(kSizes, [&](auto size) { return schedule.*size.second < 0; }))
    return "sizes are not negative";
  return isForGPU ? whyNotOnGPU(schedule, product) : whyNotOnCPU(schedule);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace weft {

static bool fromJSON(const llvm::json::Value &value, Schedule &schedule, llvm::json::Path path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected an object of sizes");
    return false;
  }
  for (const auto &[key, size] : *object) {
    auto known = llvm::find_if(kSizes, [name = StringRef(key)](auto size) { return size.first == name; });
    if (known == std::end(kSizes)) {
      path.field(key).report("expected rows, columns, hopper_columns, hopper_cluster or parts");
      return false;
    }
    if (!llvm::json::fromJSON(size, schedule.*known->second, path.field(key)))
      return false;
  }
  return true;
}

static bool fromJSON(const llvm::json::Value &value, ScheduleEntry &entry, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  Product &product = entry.product;
  if (!map || !map.map("machine", entry.machine) || !map.map("type", product.type) ||
      !map.map("rows", product.rows) || !map.map("columns", product.columns) ||
      !map.map("depth", product.depth) || !map.map("schedule", entry.schedule))
    return false;
  for (auto [name, size] :
       {std::pair{"rows", product.rows}, {"columns", product.columns}, {"depth", product.depth}})
    if (size <= 0) {
      path.field(name).report("expected a positive number");
      return false;
    }
  return true;
}

} // namespace weft

llvm::Expected<std::vector<ScheduleEntry>> weft::parseSchedules(StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  std::vector<ScheduleEntry> entries;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  if (!map || !map.map("schedules", entries))
    return root.getError();
  return entries;
}

llvm::ArrayRef<ScheduleEntry> weft::getKnownSchedules() {
  static const std::vector<ScheduleEntry> entries = llvm::cantFail(parseSchedules(weftKnownSchedules));
  return entries;
}

std::string weft::printSchedules(llvm::ArrayRef<ScheduleEntry> entries) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "{\"schedules\": [";
  llvm::interleave(
      entries,
      [&](const ScheduleEntry &entry) {
        const Product &product = entry.product;
        SmallVector<std::string> sizes;
        for (auto [name, size] : kSizes)
          if (entry.schedule.*size)
            sizes.push_back(("\"" + name + "\": " + llvm::Twine(entry.schedule.*size)).str());
        out << "\n  {\"machine\": " << llvm::json::Value(entry.machine)
            << ", \"type\": " << llvm::json::Value(product.type) << ", \"rows\": " << product.rows
            << ", \"columns\": " << product.columns << ", \"depth\": " << product.depth << ", \"schedule\": {"
            << llvm::join(sizes, ", ") << "}}";
      },
      [&] { out << ","; });
  out << "\n]}\n";
  return text;
}
