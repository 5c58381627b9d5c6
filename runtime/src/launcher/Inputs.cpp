// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads "NAME=@FILE" and "NAME=2x128xi64=0", and matches everything with the model's inputs.

#include "Inputs.h"
#include "../Elements.h"
#include "../Error.h"
#include "../Tensor.h"
#include "../TensorFiles.h"

#include <charconv>

namespace weft::runtime {

namespace {

constexpr std::string_view randomWord = "random";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

template <typename Number> bool parseWhole(std::string_view text, Number &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Makes a tensor of a type such as "2x128xi64".
TensorRef makeTyped(std::string_view type, const std::string &input) {
  std::vector<std::string_view> parts = split(type, 'x');
  int dtype = 0;
  while (isDType(dtype) && weft_dtype_name(static_cast<WeftDType>(dtype)) != parts.back())
    ++dtype;
  std::vector<int64_t> shape(parts.size() - 1);
  bool isGood = isDType(dtype);
  for (size_t i = 0; i < shape.size(); ++i)
    isGood = isGood && parseWhole(parts[i], shape[i]) && shape[i] >= 0;
  if (!isGood)
    raiseBadArgument("input \"", input, "\": expected a type such as 2x128xi64 or f32, got \"", type, "\"");
  return makeTensor(static_cast<WeftDType>(dtype), std::move(shape), Contents::Zeroed);
}

void setElements(WeftTensor *tensor, std::string_view text, const std::string &input) {
  int64_t count = elementCount(tensor);
  std::vector<std::string_view> values = split(text, ',');
  if (text.empty())
    values.clear();
  bool splats = values.size() == 1;
  if (!splats && values.size() != static_cast<uint64_t>(count))
    raiseBadArgument("input \"", input, "\": ", values.size(), " values for the ", count, " elements of ",
                     typeText(tensor));
  for (int64_t i = 0; i < count; ++i) {
    std::string_view value = values[splats ? 0 : static_cast<size_t>(i)];
    if (!parseElement(tensor, i, value))
      raiseBadArgument("input \"", input, "\": \"", value, "\" is no ",
                       weft_dtype_name(weft_tensor_dtype(tensor)));
  }
}

TensorRef parseLiteral(std::string_view literal, const std::string &input) {
  size_t equals = literal.find('=');
  if (equals == std::string_view::npos)
    raiseBadArgument("input \"", input, "\": expected @FILE or TYPE=VALUES, got \"", literal, "\"");
  TensorRef tensor = makeTyped(literal.substr(0, equals), input);
  std::string_view values = literal.substr(equals + 1);
  if (values.substr(0, randomWord.size()) != randomWord) {
    setElements(tensor.get(), values, input);
    return tensor;
  }
  values.remove_prefix(randomWord.size());
  uint64_t seed = 0;
  if (!values.empty() && (values[0] != ':' || !parseWhole(values.substr(1), seed)))
    raiseBadArgument("input \"", input, "\": expected random or random:SEED, got \"", randomWord, values,
                     "\"");
  fillRandom(tensor.get(), seed);
  return tensor;
}

TensorRef loadSingle(const std::string &path) {
  std::vector<NamedTensor> tensors;
  check(loadTensors(path, tensors));
  if (tensors.size() != 1)
    raiseBadData(path, ": holds ", tensors.size(), " tensors, expected one; give it to --inputs");
  return std::move(tensors.front().tensor);
}

class InputCollector {
public:
  explicit InputCollector(const std::vector<InputDescription> &wanted)
      : wanted(wanted), inputs(wanted.size()) {}

  void addFile(const std::string &path) {
    std::vector<NamedTensor> tensors;
    check(loadTensors(path, tensors));
    for (NamedTensor &named : tensors) {
      size_t index = 0;
      while (index < wanted.size() && wanted[index].name != named.name)
        ++index;
      if (index == wanted.size())
        raiseBadArgument(path, ": \"", named.name, "\" is not an input of the model; ", inputList());
      set(index, std::move(named.tensor));
    }
  }

  /// Names may hold '=' themselves, so the longest name that fits is meant.
  void addArgument(const std::string &argument) {
    size_t index = wanted.size();
    for (size_t i = 0; i < wanted.size(); ++i)
      if (argument.rfind(wanted[i].name + "=", 0) == 0)
        if (index == wanted.size() || wanted[i].name.size() > wanted[index].name.size())
          index = i;
    if (index == wanted.size())
      raiseBadArgument("--input ", argument, ": expected NAME=@FILE or NAME=TYPE=VALUES; ", inputList());
    const std::string &name = wanted[index].name;
    std::string rest = argument.substr(name.size() + 1);
    set(index, rest[0] == '@' ? loadSingle(rest.substr(1)) : parseLiteral(rest, name));
  }

  std::vector<TensorRef> finish() {
    for (size_t i = 0; i < wanted.size(); ++i)
      if (!inputs[i])
        raiseBadArgument("input \"", wanted[i].name, "\" (", wanted[i].type,
                         ") is missing; give it with --input ", wanted[i].name, "=... or --inputs");
    return std::move(inputs);
  }

private:
  void set(size_t index, TensorRef tensor) {
    if (inputs[index])
      raiseBadArgument("input \"", wanted[index].name, "\" is given twice");
    inputs[index] = std::move(tensor);
  }

  std::string inputList() const {
    std::string list = wanted.empty() ? "it has no inputs" : "its inputs are";
    for (size_t i = 0; i < wanted.size(); ++i)
      list += (i ? ", \"" : " \"") + wanted[i].name + "\"";
    return list;
  }

  const std::vector<InputDescription> &wanted;
  std::vector<TensorRef> inputs;
};

} // namespace

WeftStatus collectInputs(const RunOptions &options, const std::vector<InputDescription> &wanted,
                         std::vector<std::vector<TensorRef>> &outRuns) {
  return guarded([&] {
    std::vector<std::vector<TensorRef>> runs(std::max<size_t>(options.inputsFiles.size(), 1));
    for (size_t i = 0; i < runs.size(); ++i) {
      InputCollector collector(wanted);
      if (i < options.inputsFiles.size())
        collector.addFile(options.inputsFiles[i]);
      for (const std::string &argument : options.inputs)
        collector.addArgument(argument);
      runs[i] = collector.finish();
    }
    outRuns = std::move(runs);
  });
}

} // namespace weft::runtime
