#!/bin/sh
# The program as it is built: position-independent, tables of functions read-only before main(), no
# folder for libraries that somebody else could write to, and guards around buffers.
set -eu
program=$1
fail() {
  echo "hardening: $1" >&2
  exit 1
}
readelf -hW "$program" | grep -q 'Type: *DYN' || fail "not position-independent"
readelf -lW "$program" | grep -q GNU_RELRO || fail "no RELRO"
readelf -lW "$program" | grep 'GNU_STACK' | grep -q 'RWE' && fail "the stack can be executed"
readelf -dW "$program" | grep -qE 'BIND_NOW|Flags:.* NOW' || fail "functions are bound lazily"
readelf -dW "$program" | grep -E 'RPATH|RUNPATH' && fail "a path for libraries"
symbols=$(readelf -sW "$program")
case $symbols in *__stack_chk_fail*) ;; *) fail "no guard on the stack" ;; esac
echo "$symbols" | grep -qE '__[a-z]+_chk@' || fail "no checked copies (_FORTIFY_SOURCE)"
echo "hardening: all there"
