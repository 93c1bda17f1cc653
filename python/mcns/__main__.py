"""`python -m mcns` is the command line `mcns`."""

import os
import sys

import mcns._core


def main() -> None:
    sys.stdout.flush()
    # As the program ends: some libraries wait for threads of their own in exit().
    os._exit(mcns._core.command_line(["mcns", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
