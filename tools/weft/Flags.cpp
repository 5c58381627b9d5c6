// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing of command lines.
#include "tools/weft/Flags.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace weft;

int weft::usageError(const std::string &verb, const std::string &message) {
  fprintf(stderr, "weft %s: error: %s; see weft %s --help\n", verb.c_str(), message.c_str(), verb.c_str());
  return 2;
}

int weft::finishOutput(const std::string &program) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return 0;
  fprintf(stderr, "%s: error: standard output cannot be written: %s\n", program.c_str(), strerror(errno));
  return 4;
}

std::optional<Flags> Flags::parse(const std::string &verb, const std::vector<FlagSpec> &specs,
                                  const std::vector<std::string> &arguments, ForeignLength *foreignLength) {
  Flags flags;
  auto fail = [&](const std::string &message) {
    usageError(verb, message);
    return std::nullopt;
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument.empty())
      return fail("an argument is empty");
    if (argument.size() < 2 || argument[0] != '-') {
      flags.positional.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const FlagSpec &spec) { return spec.name == name; });
    if (spec == specs.end()) {
      size_t length =
          foreignLength ? foreignLength(argument, i + 1 < arguments.size() ? arguments[i + 1] : "") : 0;
      if (length == 0)
        return fail("unknown flag '" + name + "'");
      flags.foreign.push_back(argument);
      if (length == 2 && i + 1 < arguments.size())
        flags.foreign.push_back(arguments[++i]);
      continue;
    }
    std::vector<std::string> &given = flags.values[name];
    if (!given.empty() && !spec->repeatable)
      return fail("'" + name + "' is given twice");
    if (spec->valueName.empty()) {
      if (equals != std::string::npos)
        return fail("'" + name + "' takes no value");
      given.push_back("");
    } else if (equals != std::string::npos) {
      given.push_back(argument.substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      given.push_back(arguments[++i]);
    } else {
      return fail("'" + name + "' wants a value: " + name + "=" + spec->valueName);
    }
    if (!spec->valueName.empty() && given.back().empty())
      return fail("'" + name + "' wants a value that is not empty");
  }
  return flags;
}

std::string Flags::get(const std::string &name, const std::string &otherwise) const {
  auto found = values.find(name);
  return found == values.end() ? otherwise : found->second.back();
}

std::vector<std::string> Flags::getAll(const std::string &name) const {
  auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::string weft::describeFlags(const std::vector<FlagSpec> &specs) {
  std::string text;
  for (const FlagSpec &spec : specs) {
    std::string flag = "  " + spec.name + (spec.valueName.empty() ? "" : "=" + spec.valueName);
    if (flag.size() < 28)
      flag.resize(28, ' ');
    text += flag + " " + spec.help + "\n";
  }
  return text;
}
