// A run seals under the scrypt salts of earlier runs, where it finds a container that its own passphrases open. So a folder
// of many nights opens by one derivation. No salt is taken from a container that has not been opened.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "files/container/file/resumable_writer.hpp"
#include "files/container/results/result_places.hpp"

namespace phalanx {

/// Any number of threads may use it.
class EarlierSalts {
 public:
  /// Returns the next place where a container may lie, and nothing behind the last.
  using NextPlace = std::function<std::optional<ResultPlace>()>;

  /// Comes before a container is sealed for the job's recipients. The first call looks at containers, and other calls wait
  /// for it. It tries two at most, each by one derivation for each passphrase. Containers that do not open are passed by.
  void look_once(const ContainerJob& job, const NextPlace& next);

 private:
  std::once_flag looked_;
};

}  // namespace phalanx
