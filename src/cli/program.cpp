#include "cli/program.hpp"

#include <exception>
#include <new>
#include <phalanx/phalanx.hpp>

#include "cli/arguments.hpp"
#include "cli/console/exit_codes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/signal_handlers.hpp"
#include "cli/secrets/secret_source.hpp"
#include "files/file_descriptor.hpp"
#include "files/output/output_mapping.hpp"

namespace phalanx {

void prepare_process() {
  reserve_standard_descriptors();
  protect_process_memory();
  handle_signals();
  allow_output_mappings();
}

int run_program(int argc, char** argv, RunPlace* place) {
  try {
    CommandRun run;
    if (const auto exit_code = parse_arguments(argc, argv, run)) return *exit_code;
    return run(place);
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
