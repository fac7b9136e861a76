// The program phalanx.
#include "cli/program.hpp"

int main(int argc, char** argv) {
  phalanx::prepare_process();
  return phalanx::run_program(argc, argv);
}
