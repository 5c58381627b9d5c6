// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs that decode do with their arguments, input and output.

#include "CommandLine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <new>

namespace weft::decoding {

namespace {

template <typename Number> bool parseWhole(const std::string &text, Number &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace

std::string describeFlags(const std::vector<Flag> &flags) {
  constexpr size_t width = 28;
  std::string help;
  for (const auto &[text, take] : flags) {
    std::string flag = "  " + text.name + (text.value.empty() ? "" : "=" + text.value);
    flag.resize(std::max(flag.size(), width), ' ');
    help += flag + " " + text.help + "\n";
  }
  return help;
}

void reject(const std::string &message) { throw Failure{WEFT_STATUS_BAD_ARGUMENT, message}; }

std::vector<std::string> parseCommandLine(const std::vector<std::string> &arguments,
                                          const std::vector<Flag> &flags) {
  std::vector<std::string> others;
  bool flagsEnded = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (flagsEnded || argument.rfind("--", 0) != 0) {
      others.push_back(argument);
      continue;
    }
    if (argument == "--") {
      flagsEnded = true;
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const Flag &each) { return each.text.name == name; });
    if (flag == flags.end())
      reject("unknown flag " + name);
    bool isSwitch = flag->text.value.empty();
    if (isSwitch && equals != std::string::npos)
      reject(name + ": expected no value, got \"" + argument.substr(equals + 1) + "\"");
    if (isSwitch)
      flag->take("");
    else if (equals != std::string::npos)
      flag->take(argument.substr(equals + 1));
    else if (++i < arguments.size())
      flag->take(arguments[i]);
    else
      reject(name + ": expected a value, got nothing");
  }
  return others;
}

uint64_t parseNumber(const std::string &flag, const std::string &text, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  if (!parseWhole(text, number))
    reject(flag + ": expected a number, got \"" + text + "\"");
  if (number < least || number > most)
    reject(flag + ": expected a number of at " +
           (number < least ? "least " + std::to_string(least) : "most " + std::to_string(most)) + ", got " +
           text);
  return number;
}

double parseFraction(const std::string &flag, const std::string &text) {
  double number = 0;
  if (!parseWhole(text, number) || !std::isfinite(number) || number < 0)
    reject(flag + ": expected a number of at least 0, got \"" + text + "\"");
  return number;
}

int runProgram(const char *program, const char *usage, const std::function<void()> &body) {
  try {
    body();
    return 0;
  } catch (const Failure &failure) {
    std::cerr << program << ": " << failure.message << "\n";
    if (failure.code == WEFT_STATUS_BAD_ARGUMENT)
      std::cerr << usage;
    return failure.code;
  } catch (const std::bad_alloc &) {
    std::cerr << program << ": out of memory\n";
    return WEFT_STATUS_SYSTEM;
  }
}

void printLine(const std::string &line) {
  std::cout << line << std::endl;
  if (!std::cout)
    throw Failure{WEFT_STATUS_SYSTEM, "standard output: cannot be written"};
}

void forEachText(const std::vector<std::string> &texts,
                 const std::function<void(const std::string &)> &take) {
  for (const std::string &text : texts)
    take(text);
  if (!texts.empty())
    return;
  for (std::string line; std::getline(std::cin, line);)
    take(line);
  if (std::cin.bad() || std::ferror(stdin) != 0)
    throw Failure{WEFT_STATUS_SYSTEM, "standard input: cannot be read"};
}

std::string joinNumbers(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

} // namespace weft::decoding
