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
  /// Parses `--flag=value`, `--flag value` and switches. What begins with no dash is a positional argument. With `passUnknown`, flags that
  /// are not in the table are kept, with what follows, for someone else. Returns nothing and prints one line to stderr if an argument is
  /// unknown, repeated, or lacks its value.
  static std::optional<Flags> parse(const std::string &verb, const std::vector<FlagSpec> &specs,
                                    const std::vector<std::string> &arguments, bool passUnknown = false);

  bool has(const std::string &name) const { return values.count(name) != 0; }
  std::string get(const std::string &name, const std::string &otherwise = "") const;
  std::vector<std::string> getAll(const std::string &name) const;

  std::vector<std::string> positional, unknown;

private:
  std::map<std::string, std::vector<std::string>> values;
};

/// The table as text, a flag a line.
std::string describeFlags(const std::vector<FlagSpec> &specs);

/// Prints "weft VERB: error: MESSAGE" and returns the exit code of a wrong command line.
int usageError(const std::string &verb, const std::string &message);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_FLAGS_H
