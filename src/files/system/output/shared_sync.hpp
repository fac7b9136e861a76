// Many small files are made durable together. One call for all of them takes hardly longer than one for a single file.
//
// A run takes many files at once, each on a thread of its own. As many threads as there are processors work, and the others
// wait: for a place to work, or for the disk. Threads that wait for the disk are one batch. One of them makes the whole file
// system durable (syncfs), and then their files are.
//
// The result of such a call is believed only where it is known to be true:
// - Linux before 5.8 does not report a failed write there, and a file system of another machine, or of a program, need not
//   write anything. So the file system must be one of a list, on Linux 5.8 or later.
// - A file system that has shut itself down, after an error, may write nothing and report nothing. So one file of the batch
//   is synced by itself behind that call, which reports it.
// - A failure may be of any file, of other programs too, and it is reported once. So each file is synced by itself from then
//   on, those too that were written before and come later. A file's descriptor has been open since before its first byte was
//   written, and so has its own report of the failure.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// Any number of threads may use it.
class SharedSync {
 public:
  /// Up to `num_files` are taken at once, each by a thread of its own. Lets `num_working` of them work at once, 1 at least.
  SharedSync(std::size_t num_working, std::size_t num_files);
  SharedSync(const SharedSync&) = delete;
  SharedSync& operator=(const SharedSync&) = delete;

  [[nodiscard]] std::size_t num_files() const { return num_files_; }

  /// Returns how many files are worth taking at once, of as many as the process may have open.
  [[nodiscard]] static std::size_t num_files_together();

  /// Says whether a file of so many bytes is cut into pieces, which all processors share.
  [[nodiscard]] static constexpr bool is_large(std::uint64_t num_bytes) { return num_bytes > (std::uint64_t{1} << 20); }

  /// A thread holds this while it takes one file after the other.
  class Presence {
   public:
    /// `shared` is the caller's; with nullptr it does nothing.
    explicit Presence(SharedSync* shared);
    ~Presence();
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

   private:
    SharedSync* shared_;
  };

  /// Such a thread holds a turn while it takes a file of so many bytes. One at a time takes a large file.
  class Turn {
   public:
    /// `shared` is the caller's; with nullptr it does nothing.
    Turn(SharedSync* shared, std::uint64_t num_bytes);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    SharedSync* shared_;
    std::unique_lock<std::mutex> large_;
  };

  /// This is a file that the run has opened on this device before it wrote the first byte.
  struct OpenFile {
    int descriptor;
    dev_t device;
    std::uint64_t num_bytes;
  };

  enum class Synced : unsigned char {
    failed,       ///< errno says why
    file,         ///< as by fsync: the file is durable, and its name need not be
    file_system,  ///< the names in its folder are durable, too
  };

  /// Makes the file durable. The thread must hold a turn, and gives others its place meanwhile. `alone` syncs the file by
  /// itself, where that must be, and returns false, with errno set, where it fails. It is fsync where it is empty.
  using SyncAlone = std::function<bool()>;
  [[nodiscard]] Synced sync(const OpenFile& file, const SyncAlone& alone = {});

 private:
  // The file system of a device, as far as it is known.
  struct FileSystem {
    enum class Kind : unsigned char {
      in_memory,  // a sync of a file does nothing
      together,   // syncfs is believed
      alone,
    };
    Kind kind = Kind::alone;
    FileDescriptor file{};      // open since the first file: what has failed since then is reported to it
    std::size_t num_alone = 0;  // files that are synced by themselves from now on, since syncfs was slow
  };

  struct Waiter {
    enum class State : unsigned char { for_the_disk, for_a_place, working, alone };
    const OpenFile& file;
    State state = State::for_the_disk;
    bool is_to_lead = false;
    std::condition_variable woken{};
  };
  using Batch = std::vector<Waiter*>;

  FileSystem& file_system_of(const OpenFile& file);
  void leave();
  void take_place(std::unique_lock<std::mutex>& lock, std::deque<Waiter*>& queue);
  void give_place_back();
  void give_free_places();
  void give_places_to_new();
  static void let_work(Waiter& waiter);
  [[nodiscard]] Synced sync_alone(std::unique_lock<std::mutex>& lock, const OpenFile& file, const SyncAlone& alone);
  [[nodiscard]] bool is_due() const;
  void lead_if_due(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] std::set<dev_t> sync_batch(const Batch& batch);
  [[nodiscard]] bool sync_together(const Batch& batch, dev_t device);
  void end_batch(const Batch& batch, const std::set<dev_t>& durable);

  const std::size_t num_files_;
  std::mutex mutex_;
  std::mutex large_;
  std::size_t num_present_ = 0;  // threads that may join a batch
  std::size_t num_free_;         // places to work
  std::deque<Waiter*> ready_;    // wait for a place behind a sync
  std::deque<Waiter*> new_;      // wait for a place with a new file
  Batch batch_;                  // waits for the disk
  std::uint64_t batch_bytes_ = 0;
  bool is_syncing_ = false;
  std::map<dev_t, FileSystem> file_systems_;
};

}  // namespace phalanx
