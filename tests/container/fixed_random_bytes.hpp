// In the tests of containers "random" bytes are fixed: this fill_random, not the library's, is what they are linked with.
#pragma once

#include <string>

namespace phalanx::test {

/// From now on the bytes are those of this seed, from its beginning: SHA-512 of the seed and a counter of 8 bytes, block
/// after block, as in write_corpus.py.
void set_random_seed(const std::string& seed);

}  // namespace phalanx::test
