// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a profile measured, step by step: as data for programs, and as a page for people.

#ifndef WEFT_RUNTIME_LAUNCHER_REPORT_H
#define WEFT_RUNTIME_LAUNCHER_REPORT_H

#include "../FileIO.h"
#include "Profile.h"

namespace weft::runtime {

/// The model's needs, the machine's speed, and of each step the kernel, the node, and its work.
class Report {
public:
  /// Opens the file, so that one that cannot be written is an error before the work. Raises an Error unless
  /// the path ends with .html, for a page that has all that draws it, or .json, for the data alone.
  explicit Report(const std::string &path);

  /// Seconds of steps are medians of the profiled runs; `runSeconds` are times of whole runs, which may be
  /// none.
  void save(const WeftModel &model, WeftSession &session, const Profile &profile,
            const std::vector<double> &runSeconds);

private:
  const std::string path;
  OutputFile file;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_REPORT_H
