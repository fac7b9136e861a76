// The program phalanx-mpi: phalanx, of which every rank of an MPI job does a part.
#include "program/cli/console/signal_handlers.hpp"
#include "program/cli/program.hpp"
#include "program/cli/secrets/taken_variables.hpp"
#include "program/cluster/cluster_run.hpp"
#include "program/cluster/ranks.hpp"

int main(int argc, char** argv) {
  phalanx::prepare_process();
  phalanx::say_only_notes_on_interruption(true);
  // Before MPI, which starts threads and may copy the environment. Rank 0 alone needs what they held.
  auto variables = phalanx::take_named_variables({argv, static_cast<std::size_t>(argc)});
  phalanx::Ranks ranks(argc, argv);
  if (ranks.rank() != 0) variables.clear();
  phalanx::handle_signals();  // some libraries of MPI take signals for themselves
  phalanx::say_only_notes_on_interruption(ranks.num_ranks() > 1);
  return phalanx::run_on_ranks(ranks, argc, argv);
}
