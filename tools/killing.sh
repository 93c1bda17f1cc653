# shellcheck shell=bash
# For scripts that kill a program at random moments; they source it.

# Makes $folder, in memory where that is possible: a process that dies loses nothing there, and syncing
# is free. Copies the program there: a build that goes on meanwhile must not change it.
prepare_killing() { # prepare_killing MCNS
  local parent=${TMPDIR:-/tmp}
  if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then parent=/dev/shm; fi
  folder=$(mktemp -d -p "$parent")
  trap 'rm -rf "$folder"' EXIT
  cp "$1" "$folder/mcns"
}

milliseconds_since() { # milliseconds_since NANOSECONDS
  echo $((($(date +%s%N) - $1) / 1000000 + 1))
}

kill_within() { # kill_within MILLISECONDS PROCESS: whether it still ran at that moment
  local moment=$(((RANDOM * 32768 + RANDOM) % $1)) status=0
  sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
  kill -9 "$2" 2>/dev/null || status=1
  wait "$2" 2>/dev/null || true
  return $status
}
