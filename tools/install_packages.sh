#!/bin/sh
# Installs the Debian or Ubuntu packages that building needs and this machine lacks; does nothing, and
# needs no network, where all are there. Never asks: sudo without a password, or a message that says
# what to type. A line of the table: what shows that it is there, then the package that brings it.
#   command X   the program X is on the path
#   module X    python3 has the module X
#   header X    python3 has the header X
#   package A|B one of the packages is installed (the first is taken otherwise)
set -eu

say() { printf '%s\n' "$*" >&2; }

# A compiler of the user's own choice is taken as it is.
has_compiler() { [ -n "${CXX:-}" ] || sh "$(dirname "$0")/find_compiler.sh" >/dev/null; }

needs() {
  has_compiler || compiler_package
  cat <<'END'
command cmake cmake
command ninja ninja-build
command tmux tmux
command pkg-config pkg-config
command python3 python3
module ensurepip python3-venv
header Python.h python3-dev
package ca-certificates
package libfmt-dev
package libcli11-dev
package libtomlplusplus-dev
package nlohmann-json3-dev
package zlib1g-dev
package libzstd-dev
package libcurl4-openssl-dev|libcurl4-gnutls-dev|libcurl4-nss-dev
package libssl-dev
package libmatio-dev
package liblinear-dev
package libgtest-dev
package libbenchmark-dev
END
}

# The distribution's own g++ where it is new enough; g++-12 beside it where it is older (Ubuntu 22.04).
compiler_package() {
  if command -v g++ >/dev/null 2>&1; then echo "package g++-12"; else echo "package g++"; fi
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

has_header() {
  folder=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)
  [ -n "$folder" ] && [ -f "$folder/$1" ]
}

missing_packages() {
  needs | while read -r kind what package; do
    case $kind in
      command) command -v "$what" >/dev/null 2>&1 || echo "$package" ;;
      module) python3 -c "import $what" >/dev/null 2>&1 || echo "$package" ;;
      header) has_header "$what" || echo "$package" ;;
      package)
        found=
        for one in $(echo "$what" | tr '|' ' '); do is_installed "$one" && found=$one; done
        [ -n "$found" ] || echo "${what%%|*}" ;;
    esac
  done
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  say "packages: this is not Debian or Ubuntu, so nothing is installed. The build needs a C++20"
  say "packages: compiler (g++ 12 or later), and cmake 3.21, ninja, pkg-config, fmt, CLI11,"
  say "packages: toml++, nlohmann-json, zlib, zstd, libcurl, OpenSSL, matio, LIBLINEAR,"
  say "packages: GoogleTest and google-benchmark, each with its headers; for the Python package Python 3.11."
  exit 0
fi

missing=$(missing_packages | tr '\n' ' ')
if [ -z "$missing" ]; then
  say "packages: all there"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! { command -v sudo && sudo -n true; } >/dev/null 2>&1; then
    say "packages: missing, and only root can install them. Please type, then start again:"
    say "  sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
    exit 1
  fi
  as_root="sudo -n"
fi

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null >&2
}

say "packages: installing $missing"
apt update || say "packages: some package lists could not be fetched; going on with those there are"
# $missing is a list of words.
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
# Where g++ was missing and the release's own is too old, only now is that known.
has_compiler || apt install --no-install-recommends g++-12 || {
  say "packages: this release offers no g++ 12 or later; install one and name it in CXX"
  exit 1
}
