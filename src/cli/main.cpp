// The program phalanx.
#include <exception>
#include <functional>
#include <new>

#include "cli/arguments.hpp"
#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"
#include "cli/secret_source.hpp"
#include "io/atomic_file.hpp"
#include "io/file_descriptor.hpp"
#include "io/interruption.hpp"
#include "phalanx/phalanx.hpp"

int main(int argc, char** argv) {
  phalanx::reserve_standard_descriptors();
  phalanx::protect_process_memory();
  static_cast<void>(phalanx::process_umask());
  phalanx::handle_interruptions();
  try {
    std::function<int()> run;
    if (const auto exit_code = phalanx::parse_arguments(argc, argv, run)) return *exit_code;
    return run();
  } catch (const phalanx::Error& error) {
    phalanx::print_error(error.what());
    return phalanx::exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    phalanx::print_out_of_memory();
  } catch (const std::exception& error) {
    phalanx::print_error(error.what());
  }
  return phalanx::exit_code_of(phalanx::ErrorCode::runtime);
}
