// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over protobuf's wire format, and the table of the fields that Weft reads.
#include "frontend/Onnx/RawDataLift.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include <array>

using namespace weft::onnx;
using llvm::Twine;

namespace {
enum Message : uint8_t {
  ModelMessage,
  OpsetMessage,
  GraphMessage,
  FunctionMessage,
  NodeMessage,
  AttributeMessage,
  TensorMessage,
  SparseTensorMessage,
  EntryMessage,
  ValueInfoMessage,
  TypeMessage,
  TensorTypeMessage,
  WrapperTypeMessage, // Sequence and optional: field 1 is the type of what they hold.
  OtherTypeMessage,   // Seen, not read.
  ShapeMessage,
  DimMessage,
  MessageCount
};

struct Rule {
  enum Action : uint8_t { Drop, Keep, Lift, Enter };
  Action action = Drop;
  Message child = ModelMessage;
};

struct EnterRow {
  uint8_t field;
  Message child;
};

constexpr unsigned kFields = 32; // Every field that we read has a lower number.

struct RuleTable {
  std::array<std::array<Rule, kFields>, MessageCount> rules = {};

  template <unsigned N> constexpr void keep(Message in, const uint8_t (&fields)[N]) {
    for (uint8_t field : fields)
      rules[in][field].action = Rule::Keep;
  }
  template <unsigned N> constexpr void enter(Message in, const EnterRow (&rows)[N]) {
    for (EnterRow row : rows)
      rules[in][row.field] = {Rule::Enter, row.child};
  }
};
} // namespace

// Field numbers are from onnx-ml.proto; the comments name them in order.
static constexpr RuleTable makeRules() {
  RuleTable table;
  // ir_version, producer_name; graph, opset_import, functions.
  table.keep(ModelMessage, {1, 2});
  table.enter(ModelMessage, {{7, GraphMessage}, {8, OpsetMessage}, {25, FunctionMessage}});
  // domain, version.
  table.keep(OpsetMessage, {1, 2});
  // name; node, initializer, input, output, value_info, sparse_initializer.
  table.keep(GraphMessage, {2});
  table.enter(GraphMessage, {{1, NodeMessage},
                             {5, TensorMessage},
                             {11, ValueInfoMessage},
                             {12, ValueInfoMessage},
                             {13, ValueInfoMessage},
                             {15, SparseTensorMessage}});
  // name, input, output, attribute, domain, overload; node, opset_import, attribute_proto, value_info.
  table.keep(FunctionMessage, {1, 4, 5, 6, 10, 13});
  table.enter(FunctionMessage,
              {{7, NodeMessage}, {9, OpsetMessage}, {11, AttributeMessage}, {12, ValueInfoMessage}});
  // input, output, name, op_type, domain, overload; attribute.
  table.keep(NodeMessage, {1, 2, 3, 4, 7, 8});
  table.enter(NodeMessage, {{5, AttributeMessage}});
  // name, f, i, s, floats, ints, strings, type, ref_attr_name; t, g, tensors, graphs, tp, type_protos,
  // sparse_tensor, sparse_tensors.
  table.keep(AttributeMessage, {1, 2, 3, 4, 7, 8, 9, 20, 21});
  table.enter(AttributeMessage, {{5, TensorMessage},
                                 {6, GraphMessage},
                                 {10, TensorMessage},
                                 {11, GraphMessage},
                                 {14, TypeMessage},
                                 {15, TypeMessage},
                                 {22, SparseTensorMessage},
                                 {23, SparseTensorMessage}});
  // dims, data_type, float_data, int32_data, string_data, int64_data, name, double_data, uint64_data,
  // data_location; raw_data; segment (seen, not read), external_data.
  table.keep(TensorMessage, {1, 2, 4, 5, 6, 7, 8, 10, 11, 14});
  table.rules[TensorMessage][9].action = Rule::Lift;
  table.enter(TensorMessage, {{3, OtherTypeMessage}, {13, EntryMessage}});
  // values, for its name.
  table.enter(SparseTensorMessage, {{1, TensorMessage}});
  // key, value.
  table.keep(EntryMessage, {1, 2});
  // name; type.
  table.keep(ValueInfoMessage, {1});
  table.enter(ValueInfoMessage, {{2, TypeMessage}});
  // tensor, sequence, map, opaque, sparse tensor, optional.
  table.enter(TypeMessage, {{1, TensorTypeMessage},
                            {4, WrapperTypeMessage},
                            {5, OtherTypeMessage},
                            {7, OtherTypeMessage},
                            {8, OtherTypeMessage},
                            {9, WrapperTypeMessage}});
  // elem_type; shape.
  table.keep(TensorTypeMessage, {1});
  table.enter(TensorTypeMessage, {{2, ShapeMessage}});
  table.enter(WrapperTypeMessage, {{1, TypeMessage}});
  table.enter(ShapeMessage, {{1, DimMessage}});
  // dim_value, dim_param.
  table.keep(DimMessage, {1, 2});
  return table;
}

static constexpr RuleTable kRules = makeRules();

static Rule ruleOf(Message message, uint64_t field) {
  return field < kFields ? kRules.rules[message][field] : Rule();
}

namespace {
class Lifter {
public:
  Lifter(llvm::StringRef bytes, const ReaderLimits &limits, Diagnostics &diagnostics)
      : bytes(bytes), limits(limits), diagnostics(diagnostics) {}

  std::optional<std::string> run();

private:
  /// A message whose fields are being walked.
  struct Frame {
    Message message;
    uint64_t end;    // In `bytes`.
    size_t lengthAt; // In `lifted`: the length to fill in when the message is done.
  };
  enum WireType { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };
  // A length is filled in afterwards, so it is written in as many bytes as the longest one takes; a varint
  // may be padded. Five bytes hold every length below 2 GiB, and limits.messageBytes is below that.
  static constexpr size_t kLengthBytes = 5;

  bool walkField();
  bool skipValue(unsigned wireType);
  bool readVarint(uint64_t &value);
  bool malformed(const Twine &text);
  void writeVarint(uint64_t value);
  void open(Message message, uint64_t length);
  void close();

  llvm::StringRef bytes;
  const ReaderLimits &limits;
  Diagnostics &diagnostics;
  uint64_t at = 0;
  uint64_t fields = 0;
  std::string lifted;
  llvm::SmallVector<Frame, 32> frames;
};
} // namespace

std::optional<std::string> Lifter::run() {
  frames.push_back({ModelMessage, bytes.size(), 0});
  while (true) {
    if (at == frames.back().end) {
      if (frames.size() == 1)
        return std::move(lifted);
      close();
    } else if (!walkField()) {
      return std::nullopt;
    }
  }
}

/// Walks one field; enters it if it is a message that is walked too.
bool Lifter::walkField() {
  uint64_t start = at, tag = 0;
  if (!readVarint(tag))
    return false;
  uint64_t field = tag >> 3;
  unsigned wireType = tag & 7;
  if (field == 0 || tag > UINT32_MAX)
    return malformed("a field number is out of range");
  Rule rule = ruleOf(frames.back().message, field);
  if (rule.action == Rule::Drop)
    return skipValue(wireType);

  // A message weighs more than a number or a name: an empty one has two bytes here and some hundreds on the
  // heap.
  fields += rule.action == Rule::Enter ? 4 : 1;
  if (fields > limits.fields) {
    diagnostics.error(DiagnosticId::FileTooLarge, {},
                      "expects at most " + Twine(limits.fields) +
                          " fields, got more; the file may be damaged");
    return false;
  }
  if (rule.action == Rule::Keep) {
    if (!skipValue(wireType))
      return false;
    lifted.append(bytes.data() + start, at - start);
  } else {
    uint64_t length = 0;
    if (wireType != Delimited)
      return malformed("field " + Twine(field) + " has the wrong wire type");
    if (!readVarint(length))
      return false;
    if (length > frames.back().end - at)
      return malformed("a field of " + Twine(length) + " bytes runs past the end");
    writeVarint(tag);
    if (rule.action == Rule::Enter) {
      open(rule.child, length);
    } else {
      lifted += static_cast<char>(RawDataSlice::kEncodedSize);
      lifted += RawDataSlice{at, length}.encode();
      at += length;
    }
  }
  if (frames.size() > limits.nesting) {
    diagnostics.error(DiagnosticId::FileTooDeep, {},
                      "expects at most " + Twine(limits.nesting) + " nested messages, got more at byte " +
                          Twine(at));
    return false;
  }
  if (lifted.size() > limits.messageBytes) {
    diagnostics.error(DiagnosticId::FileTooLarge, {},
                      "expects at most " + Twine(limits.messageBytes) +
                          " bytes without the weights, got more; store weights as raw or external data");
    return false;
  }
  return true;
}

bool Lifter::skipValue(unsigned wireType) {
  uint64_t length = 0;
  switch (wireType) {
  case Varint:
    return readVarint(length);
  case Fixed64:
    length = 8;
    break;
  case Fixed32:
    length = 4;
    break;
  case Delimited:
    if (!readVarint(length))
      return false;
    break;
  default: // Groups; no version of ONNX has them.
    return malformed("wire type " + Twine(wireType) + " is not one of ONNX");
  }
  if (length > frames.back().end - at)
    return malformed("a field of " + Twine(length) + " bytes runs past the end");
  at += length;
  return true;
}

bool Lifter::readVarint(uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == frames.back().end)
      return malformed("a number is cut off");
    uint8_t byte = bytes[at++];
    if (shift == 63 && byte > 1)
      break;
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return malformed("a number has more than 64 bits");
}

bool Lifter::malformed(const Twine &text) {
  diagnostics.error(DiagnosticId::FileMalformed, {},
                    "expects an ONNX model, got bytes that are not one or are cut off: at byte " + Twine(at) +
                        " of " + Twine(bytes.size()) + ", " + text + describeForeignFormat(bytes));
  return false;
}

void Lifter::writeVarint(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    lifted += static_cast<char>(value | 0x80);
  lifted += static_cast<char>(value);
}

void Lifter::open(Message message, uint64_t length) {
  frames.push_back({message, at + length, lifted.size()});
  lifted.append(kLengthBytes, '\0');
}

void Lifter::close() {
  Frame frame = frames.pop_back_val();
  uint64_t length = lifted.size() - frame.lengthAt - kLengthBytes;
  for (size_t i = 0; i < kLengthBytes; ++i, length >>= 7)
    lifted[frame.lengthAt + i] = static_cast<char>((length & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
}

std::string RawDataSlice::encode() const {
  char encoded[kEncodedSize];
  llvm::support::endian::write64le(encoded, offset);
  llvm::support::endian::write64le(encoded + 8, size);
  return std::string(encoded, kEncodedSize);
}

RawDataSlice RawDataSlice::decode(llvm::StringRef encoded) {
  return {llvm::support::endian::read64le(encoded.data()),
          llvm::support::endian::read64le(encoded.data() + 8)};
}

std::optional<std::string> weft::onnx::liftRawData(llvm::StringRef bytes, const ReaderLimits &limits,
                                                   Diagnostics &diagnostics) {
  return Lifter(bytes, limits, diagnostics).run();
}
