// This is the program phalanx.
#include "program/cli/program.hpp"

int main(int argc, char** argv) {
  phalanx::prepare_process();
  return phalanx::run_program(argc, argv);
}
