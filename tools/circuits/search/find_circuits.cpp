// Finds small circuits of boxes by beam search and random walks: see README.md.
#include <ctime>
#include <thread>

#include "options.hpp"
#include "search.hpp"
#include "three_input_patches.hpp"
#include "two_input_patches.hpp"

namespace circuits {
namespace {

template <class Patches>
void run_for(const Options& options) {
  const std::vector<Box> boxes = read_boxes(options.text("--boxes"));
  Pool<Patches::arity> pool(options.text("--pool"), boxes);
  SearchOptions how;
  how.seconds = options.real("--seconds", 60);
  how.pace = options.real("--pace", 1);
  how.num_threads = options.number("--threads", static_cast<int>(std::thread::hardware_concurrency()));
  how.seed = static_cast<std::uint64_t>(options.number("--seed", 1));
  search<Patches>(boxes, pool, how);
  pool.save_all();
  std::cout << "all: " << pool.total() << ", " << std::clock() / CLOCKS_PER_SEC << " s of processor time" << std::endl;
}

void run(const Options& options) {
  const int arity = options.number("--inputs-of-a-gate");
  if (arity == 2) return run_for<TwoInputPatches>(options);
  if (arity == 3) return run_for<ThreeInputPatches>(options);
  throw std::invalid_argument("gates have 2 or 3 inputs");
}

}  // namespace
}  // namespace circuits

int main(int count, char** words) {
  return circuits::run_with_options(count, words,
                                    "usage: find_circuits --inputs-of-a-gate 2|3 --boxes FILE --pool FOLDER [--seconds N] "
                                    "[--threads N] [--seed N] [--pace X]",
                                    circuits::run);
}
