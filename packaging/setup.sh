# Shared by ./quickstart, ./run-tests and ./run-checks. Not meant to be run by itself.

# say WORDS...: a line about what is going on, on standard error.
say() { printf '%s\n' "$*" >&2; }

# minutes SECONDS: "20 s", "3 min".
minutes() { if [ "$1" -lt 90 ]; then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi; }

# packages_for KIND...: the Debian packages listed for these kinds.
packages_for() {
  local kind
  for kind in "$@"; do sed -n "s/^$kind: //p" packaging/packages; done | tr ' ' '\n'
}

# time_left WORDS SECONDS: ", about 3 min left" after so many seconds, if the words are "step 20 of 80" or "20 of 80 tests" and
# enough is done to tell.
time_left() {
  local numbers done all
  numbers=$(printf '%s\n' "$1" | sed -n 's/^[a-z ]*\([0-9]*\) of \([0-9]*\).*/\1 \2/p')
  done=${numbers% *} all=${numbers#* }
  if [ -n "$numbers" ] && [ "$done" -ge 5 ] && [ "$2" -ge 10 ]; then
    echo ", about $(minutes $(($2 * (all - done) / done))) left"
  fi
}

# follow PROCESS LOG PROGRESS: waits for a background process whose output goes to LOG, and every ten seconds says how far it
# is: `PROGRESS LOG` prints that in a few words, from which the time that is left follows. Gives the exit status of the process.
follow() {
  local begun=$SECONDS said=$SECONDS words
  while kill -0 "$1" 2>/dev/null; do
    sleep 0.5
    if [ $((SECONDS - said)) -ge 10 ]; then
      said=$SECONDS words=$("$3" "$2")
      say "  ${words:-working}, $(minutes $((SECONDS - begun))) so far$(time_left "$words" $((SECONDS - begun)))"
    fi
  done
  wait "$1"
}

# How far apt-get is.
install_progress() {
  local all
  all=$(sed -n 's/^.* \([0-9][0-9]*\) newly installed.*/\1/p' "$1" | tail -1)
  if [ -z "$all" ]; then echo "reading the lists of packages"; return; fi
  if ! grep -q '^Unpacking' "$1"; then echo "downloading $all packages"; return; fi
  echo "unpacked $(grep -c '^Unpacking' "$1") and set up $(grep -c '^Setting up' "$1") of $all packages"
}

# How far ninja is.
build_progress() { sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/step \1 of \2/p' "$1" | tail -1; }

# How far ctest is.
test_progress() { sed -n 's/^ *\([0-9]*\)\/\([0-9]*\) Test .*/\1 of \2 tests/p' "$1" | tail -1; }

# install_missing KIND...: installs the packages that are missing, and nothing else. Without the right to install, prints the
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
      [ -t 0 ] && sudo -v  # asks for the password here, not in the background
    else
      say "Packages are missing, and installing them takes root. Type this as root, then try again:"
      say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
      exit 2
    fi
  fi
  say "Installing ${#missing[@]} packages and what they need (one to three minutes, depending on the network): ${missing[*]}"
  local log
  log=$(mktemp)
  { "${root[@]}" apt-get update &&
      "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null &
  if ! follow $! "$log" install_progress; then
    tail -20 "$log" >&2
    say "The packages could not be installed; the whole output is in $log. The line was:"
    say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    exit 2
  fi
  rm -f "$log"
}

# build OPTIONS... -- TARGET...: configures build/release if needed and builds. On a terminal ninja shows its progress;
# elsewhere a line every ten seconds does.
build() {
  local options=() log
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  mkdir -p build
  log=build/configure.log
  if ! cmake --preset release "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    say "Configuring failed; the output above is in $log."
    exit 1
  fi
  local targets=() target
  for target in "$@"; do targets+=(--target "$target"); done
  if [ -t 2 ]; then
    cmake --build --preset release "${targets[@]}" >&2 || exit 1
  else
    log=build/build.log
    cmake --build --preset release "${targets[@]}" >"$log" 2>&1 &
    if ! follow $! "$log" build_progress; then
      grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" >&2
      say "Building failed; the output above is in $log."
      exit 1
    fi
  fi
}
