// The whole program as a function: what `mcns` and `python -m mcns` run.
#pragma once

namespace mcns::cli {

/// Runs the command that the arguments give, argv[0] being the name of the program, and returns the
/// exit code. Changes signal handlers and standard streams: for a process that does nothing else.
int run_program(int argc, char** argv);

}  // namespace mcns::cli
