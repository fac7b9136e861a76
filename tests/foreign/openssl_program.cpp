#include "tests/foreign/openssl_program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace phalanx {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "phalanx-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

FileBytes run_openssl(const std::string& arguments, const FileBytes& input, const std::string& passphrase) {
  const TemporaryFolder folder;
  std::ofstream in(folder.path("in"), std::ios::binary);
  in.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  in.close();
  setenv("PHALANX_TEST_PASSPHRASE", passphrase.c_str(), 1);
  const std::string command =
      "openssl " + arguments + " <" + folder.path("in") + " >" + folder.path("out") + " 2>" + folder.path("messages");
  const int status = std::system(command.c_str());
  unsetenv("PHALANX_TEST_PASSPHRASE");
  if (status != 0) throw std::runtime_error("openssl " + arguments + " failed");
  std::ifstream out(folder.path("out"), std::ios::binary);
  return {std::istreambuf_iterator<char>(out), {}};
}

}  // namespace phalanx
