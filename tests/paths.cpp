#include "tests/paths.h"

namespace mcns {

const char* const kBinary = MCNS_BINARY;
const char* const kTestScratch = MCNS_TEST_SCRATCH;
const char* const kSourceFolder = MCNS_SOURCE_DIR;

}  // namespace mcns
