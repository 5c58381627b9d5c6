// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a verb: a table of flags, and what was given.
#ifndef WEFT_TOOLS_WEFT_FLAGS_H
#define WEFT_TOOLS_WEFT_FLAGS_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// A flag of a verb. Without a value name it is a switch.
struct FlagSpec {
  std::string name;      ///< with its dashes
  std::string valueName; ///< "FILE"; empty for a switch
  std::string help;
  bool repeatable = false;
};

/// What a command line said.
class Flags {
public:
  /// How many arguments someone else's flag takes up, itself included, if `next` is behind it; 0 if it is
  /// nobody's.
  using ForeignLength = size_t(const std::string &argument, const std::string &next);

  /// Parses `--flag=value`, `--flag value` and switches. What begins with no dash is a positional argument.
  /// Flags that are not in the table but that `foreignLength` knows are kept in `foreign`. Returns nothing
  /// and prints one line to stderr if an argument is unknown, repeated, or lacks its value.
  static std::optional<Flags> parse(const std::string &verb, const std::vector<FlagSpec> &specs,
                                    const std::vector<std::string> &arguments,
                                    ForeignLength *foreignLength = nullptr);

  bool has(const std::string &name) const { return values.count(name) != 0; }
  std::string get(const std::string &name, const std::string &otherwise = "") const;
  std::vector<std::string> getAll(const std::string &name) const;

  std::vector<std::string> positional, foreign;

private:
  std::map<std::string, std::vector<std::string>> values;
};

/// The table as text, a flag a line.
std::string describeFlags(const std::vector<FlagSpec> &specs);

/// Flushes standard output and returns 0; or, if not all of it could be written, says so and returns the
/// system's exit code.
int finishOutput(const std::string &program);

/// Prints "weft VERB: error: MESSAGE" and returns the exit code of a wrong command line.
int usageError(const std::string &verb, const std::string &message);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_FLAGS_H
