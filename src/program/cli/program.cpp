#include "program/cli/program.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <exception>
#include <new>
#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"
#include "program/cli/arguments.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/signal_handlers.hpp"

namespace phalanx {
namespace {

// For the rest of the run there are no core dumps, and others of the same user cannot read this process's memory.
void protect_process_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace

void prepare_process() {
  reserve_standard_descriptors();
  protect_process_memory();
  handle_signals();
}

int run_program(int argc, char** argv, RunExecutor* executor) {
  try {
    CommandRun run;
    if (const auto exit_code = parse_arguments(argc, argv, run)) return *exit_code;
    return run(executor);
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    print_out_of_memory();
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return exit_code_of(ErrorCode::runtime);
}

}  // namespace phalanx
