# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tools/quickstart and tools/check share: look at the machine, install what is missing, configure, build.
# Sourced by bash. Each step says in a line what it does, does nothing when all is there, and calls `fail` if it cannot.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit 4
build="$root/build"
log="$build/setup.log"
jobs="$(nproc)"

say() { printf '%s\n' "$*"; }

# One line on what went wrong, with the end of the log where a program's own words help.
fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}
fail_with_log() {
  tail -n 20 "$log" | sed 's/^/    /' >&2
  fail "$* (the whole log: ${log#"$root"/})"
}

# Ends with one readable line where Weft cannot work.
require_platform() {
  local system machine
  system="$(uname -s)" machine="$(uname -m)"
  [[ $system == Linux && $machine == x86_64 ]] ||
    fail "Weft supports Linux on x86-64; this is $system on $machine"
  local flag missing=""
  for flag in avx2 fma; do
    grep -qw "$flag" /proc/cpuinfo || missing+=" $flag"
  done
  [[ -z $missing ]] || fail "Weft needs a CPU with AVX2 and FMA; this one lacks:$missing"
  command -v dpkg-query apt-get >/dev/null ||
    fail "Weft is built with the packages of Debian 12; this system has no apt-get"
}

package_is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Runs a command as root, or says which command root has to run.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    return 77
  fi
}

# install_packages PURPOSE...: the packages of these purposes in tools/packages.txt.
install_packages() {
  local purpose package reason missing=()
  while read -r purpose package reason; do
    [[ " $* " == *" $purpose "* ]] || continue
    package_is_installed "$package" && continue
    say "installing $package: $reason"
    missing+=("$package")
  done < <(grep -v '^#' tools/packages.txt)
  [[ ${#missing[@]} == 0 ]] && return

  local install="apt-get install -y --no-install-recommends ${missing[*]}" status=0
  mkdir -p "$build"
  as_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update && $install" >"$log" 2>&1 || status=$?
  [[ $status != 77 ]] || fail "packages are missing and this user is not root; run: sudo $install"
  if grep -q 'Unable to locate package' "$log"; then
    say "clang-22, LLVM and MLIR 22 come from Debian 12's security suite; if it is not in your package sources, add" >&2
    say "    deb http://deb.debian.org/debian-security bookworm-security main" >&2
  fi
  [[ $status == 0 ]] || fail_with_log "$install"
}

# build/venv with what tools/requirements.txt pins: made anew when that file changes.
make_venv() {
  cmp -s tools/requirements.txt "$build/venv/requirements.txt" && return
  say "installing $(grep '==' tools/requirements.txt | tr '\n' ' ')into build/venv"
  mkdir -p "$build"
  rm -rf "$build/venv"
  { /usr/bin/python3 -m venv "$build/venv" &&
    "$build/venv/bin/pip" install --quiet --requirement tools/requirements.txt; } >"$log" 2>&1 ||
    fail_with_log "the Python environment build/venv"
  cp tools/requirements.txt "$build/venv/requirements.txt"
}

# configure_preset PRESET FOLDER: only once; the build itself looks for changed CMake files.
configure_preset() {
  [[ -f $2/build.ninja ]] && return
  say "configuring ${2#"$root"/}"
  mkdir -p "$build"
  cmake --preset "$1" -DWEFT_ONNX_PROTO="$(echo "$build"/venv/lib/python3*/site-packages/onnx/onnx-ml.proto)" \
    >"$log" 2>&1 || { rm -f "$2/build.ninja"; fail_with_log "cmake --preset $1"; }
}

# build_targets FOLDER TARGET...: shows progress on a terminal; on failure what the compiler said.
build_targets() {
  local folder="$1" name="${1#"$root"/}" start=$SECONDS
  shift
  if [[ -t 1 ]]; then
    cmake --build "$folder" --parallel "$jobs" --target "$@" || fail "the build in $name"
  elif ! cmake --build "$folder" --parallel "$jobs" --target "$@" >"$log" 2>&1; then
    grep -E -A 6 '^FAILED|error:' "$log" | cut -c 1-200 | head -n 40 >&2
    fail "the build in $name (the whole log: ${log#"$root"/})"
  fi
  say "built $name: $((SECONDS - start)) s"
}
