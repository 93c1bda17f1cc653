// Where the build put things that tests need. The paths are compiled into one file, paths.cpp.
#pragma once

namespace mcns {

extern const char* const kBinary;        ///< the program `mcns`
extern const char* const kTestScratch;   ///< a folder that tests may write to
extern const char* const kSourceFolder;  ///< the root of the repository

}  // namespace mcns
