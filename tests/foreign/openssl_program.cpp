#include "tests/foreign/openssl_program.hpp"

#include <cstdlib>
#include <stdexcept>

#include "tests/temporary_folder.hpp"

namespace phalanx {

FileBytes run_openssl(const std::string& arguments, const FileBytes& input, const std::string& passphrase) {
  const test::TemporaryFolder folder;
  const std::string in = folder.write("in", input), out = folder.path_of("out");
  setenv("PHALANX_TEST_PASSPHRASE", passphrase.c_str(), 1);
  const std::string command = "openssl " + arguments + " <" + in + " >" + out + " 2>" + folder.path_of("messages");
  const int status = std::system(command.c_str());
  unsetenv("PHALANX_TEST_PASSPHRASE");
  if (status != 0) throw std::runtime_error("openssl " + arguments + " failed");
  return test::read_file(out);
}

}  // namespace phalanx
