// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs weft many times, each in a process of its own that is forked from this one: to start weft, which loads
// LLVM and MLIR, takes longer than what a small test does with it.
//
// Standard input has a request after the other: the file for standard error, the seconds that weft may take,
// and weft's arguments, a null character behind each and one more behind all. The answer to each is a line on
// standard output: the exit code, or a signal's number with a minus.
#include "tools/weft/Verbs.h"
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/// The words of the next request; none at the end of the input.
static std::vector<std::string> readRequest() {
  std::vector<std::string> words;
  for (std::string word; std::getline(std::cin, word, '\0') && !word.empty();)
    words.push_back(word);
  return words;
}

[[noreturn]] static void runChild(const std::vector<std::string> &request) {
  int errors = open(request[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
      nothing = open("/dev/null", O_RDWR);
  if (errors < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(errors, 2) < 0)
    _exit(127);
  alarm(unsigned(std::stoul(request[1])));
  exit(weft::runWeft({request.begin() + 2, request.end()}));
}

int main() {
  for (std::vector<std::string> request = readRequest(); request.size() > 2; request = readRequest()) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
      runChild(request);
    if (child < 0 || waitpid(child, &status, 0) != child) {
      perror("weft-forked");
      return 4;
    }
    printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}
