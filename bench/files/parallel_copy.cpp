// How fast this machine copies a file on many threads, by each method that the system has: what any program that reads one
// file and writes another can reach at most. OUT is made anew each time, and made durable within the time.
//
//   parallel_copy [--threads N] [--rounds N] [--piece BYTES] [--only METHOD] IN OUT
//
// One line a method: its name, the median of its rates in GB/s, the least and the most.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#ifdef PHALANX_HAS_URING
#include <liburing.h>
#endif

namespace {

constexpr std::size_t page_bytes = 4096;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Settings {
  unsigned num_threads = std::thread::hardware_concurrency();
  unsigned rounds = 5;
  std::size_t piece_bytes = std::size_t{1} << 20;
  std::string only, in, out;
};

enum class Room { none, size, blocks };  // OUT's, before work starts: nothing, its size alone, or blocks of the disk

struct File {
  int number = -1;
  std::uint8_t* mapping = nullptr;
};

// What all threads of one copy share.
struct Copy {
  const Settings& settings;
  std::uint64_t num_bytes;
  File in, out;
  bool populates = false;  // OUT's pages, a piece at a time
  std::atomic<std::uint64_t> next{0};

  // The next piece; nothing when all are taken.
  [[nodiscard]] bool take(std::uint64_t& offset, std::size_t& size) {
    offset = next.fetch_add(settings.piece_bytes);
    if (offset >= num_bytes) return false;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(settings.piece_bytes, num_bytes - offset));
    return true;
  }
};

struct Buffer {
  explicit Buffer(std::size_t size) : bytes(static_cast<std::uint8_t*>(std::aligned_alloc(page_bytes, size))) {
    if (bytes == nullptr) fail("memory");
  }
  ~Buffer() { std::free(bytes); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::uint8_t* bytes;
};

std::size_t in_pages(std::size_t size) { return (size + page_bytes - 1) / page_bytes * page_bytes; }

void read_whole(int file, std::uint8_t* to, std::size_t size, std::uint64_t offset) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = pread(file, to + done, in_pages(size - done), static_cast<off_t>(offset + done));
    if (got <= 0) fail("read");
    done += static_cast<std::size_t>(got);
  }
}

void write_whole(int file, const std::uint8_t* from, std::size_t size, std::uint64_t offset) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = pwrite(file, from + done, size - done, static_cast<off_t>(offset + done));
    if (put <= 0) fail("write");
    done += static_cast<std::size_t>(put);
  }
}

void copy_by_calls(Copy& copy) {
  const Buffer buffer(in_pages(copy.settings.piece_bytes) + page_bytes);
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) {
    read_whole(copy.in.number, buffer.bytes, size, offset);
    // O_DIRECT writes whole pages; the file is cut afterwards.
    write_whole(copy.out.number, buffer.bytes, in_pages(size), offset);
  }
}

void write_mapped_in(Copy& copy) {
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) write_whole(copy.out.number, copy.in.mapping + offset, size, offset);
}

void read_into_mapped_out(Copy& copy) {
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t got =
          pread(copy.in.number, copy.out.mapping + offset + done, size - done, static_cast<off_t>(offset + done));
      if (got <= 0) fail("read");
      done += static_cast<std::size_t>(got);
    }
  }
}

void copy_by_way_of_memory(Copy& copy) {
  const Buffer buffer(in_pages(copy.settings.piece_bytes) + page_bytes);
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) {
    read_whole(copy.in.number, buffer.bytes, size, offset);
    if (copy.populates) madvise(copy.out.mapping + offset, in_pages(size), MADV_POPULATE_WRITE);
    std::memcpy(copy.out.mapping + offset, buffer.bytes, size);
  }
}

void copy_mappings(Copy& copy) {
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);)
    std::memcpy(copy.out.mapping + offset, copy.in.mapping + offset, size);
}

void copy_in_kernel(Copy& copy) {
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) {
    off64_t from = static_cast<off64_t>(offset), to = from;
    for (std::size_t rest = size; rest != 0;) {
      const ssize_t done = copy_file_range(copy.in.number, &from, copy.out.number, &to, rest, 0);
      if (done <= 0) fail("copy_file_range");
      rest -= static_cast<std::size_t>(done);
    }
  }
}

void only_read(Copy& copy) {
  const Buffer buffer(in_pages(copy.settings.piece_bytes) + page_bytes);
  std::uint64_t offset = 0;
  for (std::size_t size = 0; copy.take(offset, size);) read_whole(copy.in.number, buffer.bytes, size, offset);
}

#ifdef PHALANX_HAS_URING
// Two buffers a thread: one is read into while the other is written.
void copy_by_uring(Copy& copy) {
  constexpr unsigned depth = 2;
  struct Slot {
    std::unique_ptr<Buffer> buffer;
    std::uint64_t offset = 0;
    std::size_t size = 0;
    bool writing = false;
  };
  io_uring ring{};
  if (io_uring_queue_init(depth * 2, &ring, 0) < 0) fail("io_uring");
  std::vector<Slot> slots(depth);
  unsigned in_flight = 0;
  const auto submit = [&](Slot& slot) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring);
    if (slot.writing) {
      io_uring_prep_write(entry, copy.out.number, slot.buffer->bytes, static_cast<unsigned>(slot.size), slot.offset);
    } else {
      io_uring_prep_read(entry, copy.in.number, slot.buffer->bytes, static_cast<unsigned>(slot.size), slot.offset);
    }
    io_uring_sqe_set_data(entry, &slot);
    io_uring_submit(&ring);
    ++in_flight;
  };
  for (Slot& slot : slots) {
    slot.buffer = std::make_unique<Buffer>(in_pages(copy.settings.piece_bytes));
    if (copy.take(slot.offset, slot.size)) submit(slot);
  }
  while (in_flight != 0) {
    io_uring_cqe* done = nullptr;
    if (io_uring_wait_cqe(&ring, &done) < 0) fail("io_uring");
    Slot& slot = *static_cast<Slot*>(io_uring_cqe_get_data(done));
    if (done->res != static_cast<int>(slot.size)) fail("io_uring");
    io_uring_cqe_seen(&ring, done);
    --in_flight;
    slot.writing = !slot.writing;
    if (slot.writing || copy.take(slot.offset, slot.size)) submit(slot);
  }
  io_uring_queue_exit(&ring);
}
#endif

struct Method {
  const char* name;
  std::function<void(Copy&)> work;
  Room room = Room::none;
  bool maps_in = false, maps_out = false;
  int flags = 0;
  bool huge = false;       // pages for OUT's mapping
  bool populates = false;  // a piece's pages of it at once
};

std::vector<Method> methods() {
  std::vector<Method> list = {
      {"read", only_read},
      {"pread-pwrite", copy_by_calls},
      {"pread-pwrite-sized", copy_by_calls, Room::size},
      {"pread-pwrite-reserved", copy_by_calls, Room::blocks},
      {"mapped-pwrite", write_mapped_in, Room::none, true, false},
      {"pread-mapped", read_into_mapped_out, Room::size, false, true},
      {"pread-mapped-reserved", read_into_mapped_out, Room::blocks, false, true},
      {"mapped-mapped", copy_mappings, Room::size, true, true},
      {"mapped-mapped-reserved", copy_mappings, Room::blocks, true, true},
      {"pread-memcpy", copy_by_way_of_memory, Room::blocks, false, true},
      {"pread-memcpy-populate", copy_by_way_of_memory, Room::blocks, false, true, 0, false, true},
      {"pread-memcpy-huge", copy_by_way_of_memory, Room::size, false, true, 0, true},
      {"pread-mapped-huge", read_into_mapped_out, Room::size, false, true, 0, true},
      {"mapped-mapped-huge", copy_mappings, Room::size, true, true, 0, true},
      {"copy-file-range", copy_in_kernel},
      {"direct", copy_by_calls, Room::none, false, false, O_DIRECT},
      {"direct-reserved", copy_by_calls, Room::blocks, false, false, O_DIRECT},
  };
#ifdef PHALANX_HAS_URING
  list.push_back({"io-uring", copy_by_uring});
  list.push_back({"io-uring-reserved", copy_by_uring, Room::blocks});
#endif
  return list;
}

void make_room(int file, std::uint64_t num_bytes, Room room) {
  if (room == Room::size && ftruncate(file, static_cast<off_t>(num_bytes)) != 0) fail("ftruncate");
  if (room == Room::blocks && fallocate(file, 0, 0, static_cast<off_t>(num_bytes)) != 0) fail("fallocate");
}

// Negative where the file system does not have the method.
double seconds_of(const Settings& settings, const Method& method) {
  Copy copy{settings, 0, {}, {}, method.populates};
  copy.in.number = open(settings.in.c_str(), O_RDONLY | method.flags);
  if (copy.in.number < 0 && method.flags != 0) return -1;
  struct stat status {};
  if (copy.in.number < 0 || fstat(copy.in.number, &status) != 0) fail(settings.in.c_str());
  copy.num_bytes = static_cast<std::uint64_t>(status.st_size);
  unlink(settings.out.c_str());
  const bool writes = std::strcmp(method.name, "read") != 0;
  const auto start = std::chrono::steady_clock::now();
  if (writes) {
    copy.out.number = open(settings.out.c_str(), O_RDWR | O_CREAT | O_EXCL | method.flags, 0600);
    if (copy.out.number < 0) fail(settings.out.c_str());
    make_room(copy.out.number, copy.num_bytes, method.room);
  }
  if (method.maps_in) {
    void* const at = mmap(nullptr, copy.num_bytes, PROT_READ, MAP_SHARED, copy.in.number, 0);
    if (at == MAP_FAILED) fail("mmap");
    copy.in.mapping = static_cast<std::uint8_t*>(at);
  }
  if (method.maps_out) {
    void* const at = mmap(nullptr, copy.num_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, copy.out.number, 0);
    if (at == MAP_FAILED) fail("mmap");
    copy.out.mapping = static_cast<std::uint8_t*>(at);
    if (method.huge) madvise(at, copy.num_bytes, MADV_HUGEPAGE);
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < settings.num_threads; ++i) threads.emplace_back([&] { method.work(copy); });
  for (std::thread& thread : threads) thread.join();
  if (writes && (ftruncate(copy.out.number, static_cast<off_t>(copy.num_bytes)) != 0 || fsync(copy.out.number) != 0))
    fail("fsync");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (copy.in.mapping != nullptr) munmap(copy.in.mapping, copy.num_bytes);
  if (copy.out.mapping != nullptr) munmap(copy.out.mapping, copy.num_bytes);
  close(copy.in.number);
  if (writes) close(copy.out.number);
  return taken.count();
}

bool is_same(const Settings& settings) {
  return std::system(("cmp -s '" + settings.in + "' '" + settings.out + "'").c_str()) == 0;
}

void report(const Settings& settings, const Method& method) {
  struct stat status {};
  if (stat(settings.in.c_str(), &status) != 0) fail(settings.in.c_str());
  std::vector<double> rates;
  for (unsigned round = 0; round < settings.rounds; ++round) {
    const double seconds = seconds_of(settings, method);
    if (seconds < 0) return;
    rates.push_back(static_cast<double>(status.st_size) / seconds / 1e9);
  }
  std::sort(rates.begin(), rates.end());
  const bool copied = std::strcmp(method.name, "read") == 0 || is_same(settings);
  std::printf("%-24s %6.2f  %6.2f  %6.2f%s\n", method.name, rates[rates.size() / 2], rates.front(), rates.back(),
              copied ? "" : "  WRONG");
  std::fflush(stdout);
}

bool parse(int argc, char** argv, Settings& settings) {
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = argument.starts_with("--") && i + 1 < argc;
    const std::string value = has_value ? argv[i + 1] : "";
    if (has_value) ++i;
    if (argument == "--threads") {
      settings.num_threads = static_cast<unsigned>(std::stoul(value));
    } else if (argument == "--rounds") {
      settings.rounds = static_cast<unsigned>(std::stoul(value));
    } else if (argument == "--piece") {
      settings.piece_bytes = std::stoul(value);
    } else if (argument == "--only") {
      settings.only = value;
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      names.push_back(argument);
    }
  }
  if (names.size() != 2 || settings.piece_bytes % page_bytes != 0 || settings.rounds == 0) return false;
  settings.in = names[0];
  settings.out = names[1];
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr, "parallel_copy [--threads N] [--rounds N] [--piece BYTES] [--only METHOD] IN OUT\n");
    return 2;
  }
  for (const Method& method : methods()) {
    if (settings.only.empty() || settings.only == method.name) report(settings, method);
  }
  unlink(settings.out.c_str());
}
