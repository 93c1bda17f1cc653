#include "mcns/io/text_file.h"

#include <algorithm>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"

namespace mcns {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

/// Packs text into a file; finish() writes what is still held back.
class Packer {
 public:
  virtual ~Packer() = default;
  virtual void pack(std::string_view text, bool last) = 0;
};

class PlainPacker : public Packer {
 public:
  explicit PlainPacker(AtomicFile& file) : file_(file) {}
  void pack(std::string_view text, bool) override { file_.write(text); }

 private:
  AtomicFile& file_;
};

class GzipPacker : public Packer {
 public:
  explicit GzipPacker(AtomicFile& file) : file_(file), out_(kChunk) {
    constexpr int kGzipWindow = 15 + 16;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  void pack(std::string_view text, bool last) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      file_.write(out_.data(), out_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  AtomicFile& file_;
  std::vector<char> out_;
  z_stream stream_ = {};
};

class ZstdPacker : public Packer {
 public:
  explicit ZstdPacker(AtomicFile& file)
      : file_(file), out_(ZSTD_CStreamOutSize()), context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  void pack(std::string_view text, bool last) override {
    ZSTD_inBuffer in = {text.data(), text.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out = {out_.data(), out_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) throw_error(ErrorKind::kRuntime, "zstd: {}", ZSTD_getErrorName(left));
      file_.write(out_.data(), out.pos);
    } while (last ? left != 0 : in.pos < in.size);
  }

 private:
  AtomicFile& file_;
  std::vector<char> out_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

std::unique_ptr<Packer> make_packer(const std::string& path, AtomicFile& file) {
  if (path.ends_with(".gz")) return std::make_unique<GzipPacker>(file);
  if (path.ends_with(".zst")) return std::make_unique<ZstdPacker>(file);
  return std::make_unique<PlainPacker>(file);
}

bool is_csv(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz") || path.ends_with(".csv.zst");
}

/// A name as a field; what the text readers would not read back is refused.
void append_field(std::string& out, const std::string& name, bool csv, const std::string& path) {
  const auto is_control = [](unsigned char c) { return c < 0x20; };
  const auto is_blank = [](char c) { return c == ' '; };
  const bool edge_blank = !name.empty() && (is_blank(name.front()) || is_blank(name.back()));
  const bool mark = !name.empty() && (name[0] == '#' || name[0] == '%');
  const bool quoted = csv && (edge_blank || mark || name.find_first_of(",\"") != name.npos);
  if (name.empty() || std::ranges::any_of(name, is_control) || (!csv && (edge_blank || mark)))
    throw_error(ErrorKind::kData, "cannot write {}: node name '{}' does not fit into text; {}",
                path, name, csv ? "use .bin" : "use .csv or .bin");
  if (!quoted) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// Empty where all names are integers.
std::string header(const Names& names, bool user_item, std::string_view third, char separator) {
  bool integers = true;
  for (NodeId row = 0; row < names.size() && integers; ++row)
    integers = plain_integer(names.name(row)).has_value();
  if (integers) return {};
  std::string line = fmt::format("{1}{0}{2}", separator, user_item ? "user" : "source",
                                 user_item ? "item" : "target");
  if (!third.empty()) line += fmt::format("{}{}", separator, third);
  return line + '\n';
}

}  // namespace

struct TextFile::Impl {
  explicit Impl(const std::string& path) : file(path), packer(make_packer(path, file)) {}
  AtomicFile file;
  std::unique_ptr<Packer> packer;
  std::string buffer;
};

TextFile::TextFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
TextFile::~TextFile() = default;

void TextFile::write(std::string_view text) {
  impl_->buffer += text;
  if (impl_->buffer.size() < kChunk) return;
  impl_->packer->pack(impl_->buffer, false);
  impl_->buffer.clear();
}

void TextFile::commit() {
  impl_->packer->pack(impl_->buffer, true);
  impl_->file.commit();
}

void write_text_edges(const std::string& path, const Graph& graph, const Names& names) {
  const bool csv = is_csv(path);
  const char separator = csv ? ',' : '\t';
  TextFile file(path);
  file.write(header(names, graph.is_bipartite(), graph.is_weighted() ? "weight" : "", separator));
  std::string line;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
    const auto row = graph.neighbors(u);
    const auto weights = graph.weights(u);
    const auto name = names.name(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (graph.kind() == GraphKind::kUndirected && row[i] < u) continue;
      line.clear();
      append_field(line, name, csv, path);
      line += separator;
      append_field(line, names.name(row[i]), csv, path);
      if (graph.is_weighted()) line += fmt::format("{}{}", separator, weights[i]);
      file.write(line += '\n');
    }
  }
  file.commit();
}

void write_text_pairs(const std::string& path, const TextPairs& pairs, const Names& names) {
  const bool csv = is_csv(path);
  const char separator = csv ? ',' : '\t';
  TextFile file(path);
  file.write(header(names, pairs.user_item, pairs.values.empty() ? "" : pairs.third, separator));
  std::string line;
  for (std::size_t i = 0; i < pairs.pairs.size(); ++i) {
    line.clear();
    append_field(line, names.name(pairs.pairs[i].source), csv, path);
    line += separator;
    append_field(line, names.name(pairs.pairs[i].target), csv, path);
    if (!pairs.values.empty()) line += fmt::format("{}{}", separator, pairs.values[i]);
    file.write(line += '\n');
  }
  file.commit();
}

void write_labels(const std::string& path, const std::vector<LabelLine>& labels) {
  const bool csv = is_csv(path);
  const char separator = csv ? ',' : '\t';
  TextFile file(path);
  std::string line = fmt::format("node{}label\n", separator);
  file.write(line);
  for (const auto& [node, label] : labels) {
    line.clear();
    append_field(line, node, csv, path);
    line += separator;
    append_field(line, label, csv, path);
    file.write(line += '\n');
  }
  file.commit();
}

}  // namespace mcns
