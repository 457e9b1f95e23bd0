# Shared by ./quickstart and ./run-tests. Not meant to be run by itself.

# say WORDS...: a line about what is going on, on standard error.
say() { printf '%s\n' "$*" >&2; }

# packages_for KIND...: the Debian packages listed for these kinds.
packages_for() {
  local kind
  for kind in "$@"; do sed -n "s/^$kind: //p" packaging/packages; done | tr ' ' '\n'
}

# install_missing KIND...: installs what is not there yet, and nothing else. Without the right to install, prints the
# line to type and exits 2.
install_missing() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This machine has no apt-get. Install the equivalents of these Debian packages, then build with"
    say "  cmake --preset release && cmake --build --preset release"
    say "$(packages_for "$@" | tr '\n' ' ')"
    exit 2
  fi
  for package in $(packages_for "$@"); do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      root=(sudo)
    else
      say "Packages are missing, and installing them takes root. Type this as root, then try again:"
      say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
      exit 2
    fi
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${root[@]}" apt-get update &&
         "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
       >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    say "The packages could not be installed; the whole story is in $log. The line was:"
    say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    exit 2
  fi
  rm -f "$log"
}

# build OPTIONS... -- TARGET...: configures build/release where needed and builds; quiet unless something is wrong.
build() {
  local options=() log
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  mkdir -p build
  log=build/configure.log
  if ! cmake --preset release "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    say "Configuring failed; the story above is in $log."
    exit 1
  fi
  local targets=() target
  for target in "$@"; do targets+=(--target "$target"); done
  if [ -t 2 ]; then
    cmake --build --preset release "${targets[@]}" >&2 || exit 1
  else
    log=build/build.log
    if ! cmake --build --preset release "${targets[@]}" >"$log" 2>&1; then
      grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" >&2
      say "Building failed; the story above is in $log."
      exit 1
    fi
  fi
}
