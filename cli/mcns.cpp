// mcns: the program.
#include <cstdlib>

#include "cli/program.h"

int main(int argc, char** argv) {
  // Not by exit(): OpenBLAS waits there for a thread of its own, for ever where memory is short.
  std::_Exit(mcns::cli::run_program(argc, argv));
}
