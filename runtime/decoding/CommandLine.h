// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags, and the way from a Failure to an exit code.

#ifndef WEFT_RUNTIME_DECODING_COMMANDLINE_H
#define WEFT_RUNTIME_DECODING_COMMANDLINE_H

#include "Failure.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace weft::decoding {

[[noreturn]] void reject(const std::string &message);

/// What a help text says of a flag.
struct FlagText {
  std::string name;  ///< With its dashes.
  std::string value; ///< What stands for the value, such as N; empty if the flag has none.
  std::string help;
};

struct Flag {
  FlagText text;
  std::function<void(const std::string &)> take;
};

/// A help text of flags, a line each.
std::string describeFlags(const std::vector<Flag> &flags);

/// Hands each flag's value to the flag's `take`, and returns the other arguments. A value is the next
/// argument, or what follows "="; after "--" nothing is a flag. The last of equal flags wins. Throws Failure,
/// as all here does.
std::vector<std::string> parseCommandLine(const std::vector<std::string> &arguments,
                                          const std::vector<Flag> &flags);

/// A whole number; `flag` is for the message.
uint64_t parseNumber(const std::string &flag, const std::string &text, uint64_t least = 0,
                     uint64_t most = std::numeric_limits<uint64_t>::max());
/// A finite number of at least 0, such as 0.9 or 1e-3.
double parseFraction(const std::string &flag, const std::string &text);

/// Runs `body`; a failure becomes a line on standard error, with the usage if the command line is at fault,
/// and the program's exit code.
int runProgram(const char *program, const char *usage, const std::function<void()> &body);

/// Writes a line and flushes it.
void printLine(const std::string &line);

/// Calls `take` with each text, or with each line of standard input if there are none.
void forEachText(const std::vector<std::string> &texts, const std::function<void(const std::string &)> &take);

/// "1 2 3"
std::string joinNumbers(const std::vector<int64_t> &numbers);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_COMMANDLINE_H
