# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What tools/quickstart and tools/check share: look at the machine, install what is missing, configure, build.
# Sourced by bash. Each step says in a line what it does, does nothing when all is there, and calls `fail` if it cannot.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit 4
build="$root/build"
log="$build/setup.log"
jobs="$(nproc)"

# Each argument is a line.
say() { printf '%s\n' "$@"; }

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
  command -v dpkg-query >/dev/null || fail "Weft is built with Debian 12's packages; this system has no dpkg"
  { mkdir -p "$build" && : >>"$log"; } 2>/dev/null || fail "cannot write into $build"
}

package_is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# install_packages PURPOSE...: the packages of these purposes in tools/packages.txt.
install_packages() {
  local purpose package reason packages=() reasons=()
  while read -r purpose package reason; do
    [[ " $* " == *" $purpose "* ]] || continue
    package_is_installed "$package" && continue
    packages+=("$package")
    reasons+=("installing $package: $reason")
  done < <(grep -v '^#' tools/packages.txt)
  [[ ${#packages[@]} == 0 ]] && return

  local as_root="" install="apt-get install -y --no-install-recommends ${packages[*]}"
  if [[ $(id -u) != 0 ]]; then
    as_root=sudo
    { command -v sudo && { [[ -t 0 ]] || sudo -n true; }; } >/dev/null 2>&1 ||
      fail "packages are missing, and only root can install them; as root, run: $install"
  fi
  say "${reasons[@]}"
  if ! $as_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update && $install" >"$log" 2>&1; then
    if grep -q 'Unable to locate package' "$log"; then
      say "LLVM 22 comes from Debian 12's security suite; your package sources may lack this line:" \
        "    deb http://deb.debian.org/debian-security bookworm-security main" >&2
    fi
    fail_with_log "$install"
  fi
}

# install_python REQUIREMENTS: what this file pins, in build/venv; again when it changes.
install_python() {
  cmp -s "$1" "$build/venv/${1##*/}" && return
  say "installing $(grep '==' "$1" | tr '\n' ' ')into build/venv: $(sed -n '1s/^# //p' "$1")"
  { { [[ -x $build/venv/bin/pip ]] || /usr/bin/python3 -m venv "$build/venv"; } &&
    "$build/venv/bin/pip" install --quiet --requirement "$1"; } >"$log" 2>&1 ||
    fail_with_log "the Python environment build/venv, for $1"
  cp "$1" "$build/venv/"
}

# configure_preset PRESET FOLDER: only once; the build itself looks for changed CMake files.
configure_preset() {
  [[ -f $2/build.ninja ]] && return
  say "configuring ${2#"$root"/}"
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
