#include "made_plaintexts.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace phalanx::test {
namespace {

using namespace std::string_view_literals;

void append(Buffer& to, std::string_view text) {
  for (const char character : text) to.push_back(static_cast<std::uint8_t>(character));
}

void append_noise(Buffer& to, std::size_t num_bytes, Random& random) {
  const Buffer noise = random_bytes(num_bytes, random);
  to.insert(to.end(), noise.begin(), noise.end());
}

void append_number(Buffer& to, std::size_t number, std::size_t num_bytes, bool big_endian = false) {
  for (std::size_t i = 0; i < num_bytes; ++i) {
    const std::size_t shift = 8 * (big_endian ? num_bytes - 1 - i : i);
    to.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

// Drawing each byte anew would take longer than all the rest: files are cut out of one that is drawn once.
constexpr std::size_t drawn_bytes = std::size_t{8} << 20;

using Words = std::span<const std::string_view>;

Buffer draw_words(const Words& words) {
  Random random(1);
  Buffer text;
  text.reserve(drawn_bytes + 64);
  while (text.size() < drawn_bytes) {
    append(text, words[random() % words.size()]);
    text.push_back(random() % 12 == 0 ? '\n' : ' ');
  }
  return text;
}

bool is_within_character(std::uint8_t byte) { return (byte & 0xc0U) == 0x80; }

// No character of more than one byte is cut.
Buffer cut_words(const Buffer& drawn, std::size_t num_bytes, Random& random) {
  std::size_t begin = random_number(0, drawn.size() - num_bytes - 8, random);
  while (is_within_character(drawn[begin])) ++begin;
  const auto from = drawn.begin() + static_cast<std::ptrdiff_t>(begin);
  Buffer text(from, from + static_cast<std::ptrdiff_t>(num_bytes));
  for (std::size_t end = begin + num_bytes - 1, left = num_bytes - 1; is_within_character(drawn[end]); --end)
    text[--left] = '.';
  text.back() = '\n';
  return text;
}

Buffer make_text(std::size_t num_bytes, Random& random) {
  constexpr std::string_view words[] = {"the",  "of", "letter,",   "1997",    "account", "a",
                                        "Dear", "is", "received.", "invoice", "4711"};
  static const Buffer drawn = draw_words(words);
  return cut_words(drawn, num_bytes, random);
}

Buffer make_utf8(std::size_t num_bytes, Random& random) {
  constexpr std::string_view words[] = {"письмо", "от", "Grüße", "日本語", "и", "счёт", "№", "получено", "в", "Straße"};
  static const Buffer drawn = draw_words(words);
  return cut_words(drawn, num_bytes, random);
}

Buffer make_pdf(std::size_t num_bytes, Random& random) {
  constexpr std::string_view end = "\nendstream\nendobj\nstartxref\n116\n%%EOF\n";
  Buffer pdf;
  append(pdf, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Length 4711 /Filter /FlateDecode >>\nstream\n");
  append_noise(pdf, num_bytes - end.size() - pdf.size(), random);
  append(pdf, end);
  return pdf;
}

// One entry, deflated.
Buffer make_zip(std::size_t num_bytes, Random& random) {
  constexpr std::size_t local_bytes = 30 + 4, central_bytes = 46 + 4, end_bytes = 22;
  const std::size_t data_bytes = num_bytes - local_bytes - central_bytes - end_bytes;
  const std::size_t sum = random() & 0xffffffffU;
  const auto describe = [&](Buffer& to) {
    append(to, "\x14\0\0\0\x08\0\x12\x34\x56\x3d"sv);
    append_number(to, sum, 4);
    append_number(to, data_bytes, 4);
    append_number(to, 3 * data_bytes, 4);
    append(to, "\4\0\0\0"sv);
  };
  Buffer zip;
  append(zip, "PK\3\4");
  describe(zip);
  append(zip, "name");
  append_noise(zip, data_bytes, random);
  append(zip, "PK\1\2\x14\0"sv);
  describe(zip);
  zip.resize(zip.size() + 14);
  append(zip, "name");
  append(zip, "PK\5\6\0\0\0\0\1\0\1\0"sv);
  append_number(zip, central_bytes, 4);
  append_number(zip, local_bytes + data_bytes, 4);
  append_number(zip, 0, 2);
  return zip;
}

Buffer make_gzip(std::size_t num_bytes, Random& random) {
  Buffer gzip;
  append(gzip, "\x1f\x8b\x08\0"sv);
  append_noise(gzip, 4, random);
  append(gzip, "\0\x03"sv);
  append_noise(gzip, num_bytes - gzip.size() - 4, random);
  append_number(gzip, 3 * num_bytes, 4);
  return gzip;
}

std::size_t png_sum(Bytes bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t byte = 0; byte < made.size(); ++byte) {
      made[byte] = byte;
      for (int bit = 0; bit < 8; ++bit) made[byte] = (made[byte] >> 1) ^ ((made[byte] & 1U) != 0 ? 0xedb88320U : 0);
    }
    return made;
  }();
  std::uint32_t sum = 0xffffffffU;
  for (const std::uint8_t byte : bytes) sum = table[(sum ^ byte) & 0xffU] ^ (sum >> 8);
  return sum ^ 0xffffffffU;
}

void append_chunk(Buffer& png, std::string_view name, const Buffer& data) {
  append_number(png, data.size(), 4, true);
  const std::size_t summed = png.size();
  append(png, name);
  png.insert(png.end(), data.begin(), data.end());
  append_number(png, png_sum(Bytes(png).subspan(summed)), 4, true);
}

Buffer make_png(std::size_t num_bytes, Random& random) {
  constexpr std::size_t most_data_bytes = 8192, frame_bytes = 12;
  Buffer png;
  append(png, "\x89PNG\r\n\x1a\n");
  append_chunk(png, "IHDR", {0, 0, 2, 0, 0, 0, 2, 0, 8, 2, 0, 0, 0});
  for (std::size_t rest; (rest = num_bytes - png.size() - frame_bytes) > 0;) {
    const bool is_last = rest <= most_data_bytes;
    append_chunk(png, "IDAT", random_bytes((is_last ? rest : most_data_bytes / 2) - frame_bytes, random));
  }
  append_chunk(png, "IEND", {});
  return png;
}

Buffer make_jpeg(std::size_t num_bytes, Random& random) {
  Buffer jpeg;
  append(jpeg, "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"sv);
  append_noise(jpeg, num_bytes - jpeg.size() - 2, random);
  append(jpeg, "\xff\xd9");
  return jpeg;
}

Buffer make_tar(std::size_t num_bytes, Random& random) {
  constexpr std::size_t block_bytes = 512;
  const std::size_t data_bytes = num_bytes - 3 * block_bytes;
  Buffer tar(block_bytes);
  const auto put = [&](std::size_t at, std::string_view text) {
    std::ranges::copy(text, tar.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const auto put_octal = [&](std::size_t at, std::size_t digits, std::size_t number) {
    for (; digits-- > 0; number /= 8) tar[at + digits] = static_cast<std::uint8_t>('0' + number % 8);
  };
  put(0, "letters/1997/march.doc");
  put_octal(100, 7, 0644);
  put_octal(124, 11, data_bytes);
  put_octal(136, 11, 0x35000000 + random() % 0x10000000);
  put(148, "        0");
  put(257, "ustar\00000"sv);
  std::size_t sum = 0;
  for (const std::uint8_t byte : tar) sum += byte;
  put_octal(148, 6, sum);
  tar[154] = 0;
  append_noise(tar, data_bytes, random);
  tar.resize(num_bytes);
  return tar;
}

constexpr PlaintextKind kinds[] = {
    {"text", 32, 1, make_text}, {"UTF-8", 32, 1, make_utf8},  {"PDF", 176, 1, make_pdf},
    {"zip", 176, 1, make_zip},  {"gzip", 32, 1, make_gzip},   {"PNG", 80, 1, make_png},
    {"JPEG", 32, 1, make_jpeg}, {"tar", 2048, 512, make_tar}, {"noise", 16, 1, random_bytes},
};

}  // namespace

std::span<const PlaintextKind> all_plaintext_kinds() { return kinds; }

Buffer random_bytes(std::size_t num_bytes, Random& random) {
  static const Buffer drawn = [] {
    Random once(2);
    Buffer bytes(drawn_bytes);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(once() >> 32);
    return bytes;
  }();
  const auto from = drawn.begin() + static_cast<std::ptrdiff_t>(random_number(0, drawn_bytes - num_bytes, random));
  return {from, from + static_cast<std::ptrdiff_t>(num_bytes)};
}

std::size_t random_number(std::size_t least, std::size_t most, Random& random) {
  return least + static_cast<std::size_t>(random() % (most - least + 1));
}

std::size_t random_length(std::size_t most_bytes, Random& random) {
  const auto around = [&](std::size_t unit, std::size_t most_units) {
    return unit * random_number(1, most_units, random) + random_number(0, 40, random) - 20;
  };
  const std::size_t choice = random_number(0, 99, random);
  std::size_t length = random_number(32, 700, random);
  if (choice < 1) {
    length = around(std::size_t{1} << 20, 2) + random_number(0, 4096, random);
  } else if (choice < 20) {
    length = around(512, 40);
  } else if (choice < 40) {
    length = 4096 * random_number(1, 16, random) + random_number(0, 600, random);
  } else if (choice < 45) {
    length = around(65536, 1);
  } else if (choice < 60) {
    length = random_number(700, 20'000, random);
  }
  return length <= most_bytes ? length : random_number(32, most_bytes, random);
}

}  // namespace phalanx::test
