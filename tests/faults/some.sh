#!/bin/sh
# Some of the points of tools/faults.sh, for every ./test.
set -eu
tools=$(dirname "$0")/../../tools
MCNS_FAULT_RUNS=lookup "$tools/faults.sh" "$1" 9 fail data names
MCNS_FAULT_RUNS=graphsage "$tools/faults.sh" "$1" 11 fail torn
MCNS_FAULT_RUNS=lookup "$tools/faults.sh" "$1" 997 allocations
