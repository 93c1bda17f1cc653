// mcns encode: embeddings of a trained network for a graph, new nodes included.
#include "mcns/model/encode.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/npy.h"
#include "mcns/io/text_file.h"

#include "cli/load_flags.h"

namespace mcns::cli {
namespace {

struct EncodeFlags : EncodeRequest {
  std::string out;
};

void write_tsv(const std::string& path, const EncodedGraph& encoded) {
  TextFile file(path);
  for (std::int64_t v = 0; v < encoded.vectors.rows(); ++v) {
    std::string line = encoded.data.names.name(static_cast<NodeId>(v));
    for (const float x : encoded.vectors.view()[v]) line += fmt::format("\t{}", x);
    file.write(line + "\n");
  }
  file.commit();
}

void run_encode(const EncodeFlags& flags, const Common& common) {
  const bool npy = flags.out.ends_with(".npy");
  require(npy || flags.out.ends_with(".tsv"), "--out {}: expected a name that ends in .npy or .tsv",
          flags.out);
  ThreadPool pool(common.threads);
  const EncodedGraph encoded = encode(flags, pool);
  if (npy) {
    write_nodes(flags.out.substr(0, flags.out.size() - 4) + ".nodes.tsv", encoded.data.graph,
                encoded.data.names);
    write_npy(flags.out, encoded.vectors.view());
  } else {
    write_tsv(flags.out, encoded);
  }
  const nlohmann::ordered_json document{{"nodes", encoded.vectors.rows()},
                                        {"unseen_in_training", encoded.unseen},
                                        {"dim", encoded.vectors.dim()},
                                        {"out", flags.out}};
  if (common.json)
    fmt::print("{}\n", document.dump(2));
  else if (!common.quiet)
    fmt::print("{}: {} vectors, {} of nodes unseen in training\n", flags.out,
               encoded.vectors.rows(), encoded.unseen);
}

}  // namespace

void add_encode(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand(
      "encode", "embeddings that a trained network computes for a graph, also for new nodes");
  const auto flags = std::make_shared<EncodeFlags>();
  command->add_option("DIR", flags->model, "model directory of a gcn, graphsage or lightgcn")
      ->required();
  command
      ->add_option("--graph", flags->graph,
                   "file with the edges of the graph, including those of training")
      ->type_name("FILE")
      ->required();
  add_load_flags(*command, flags->load);
  command
      ->add_option("--features", flags->features, "file with node features, if the model has them")
      ->type_name("FILE");
  command
      ->add_option("--out", flags->out,
                   "file to write: F.npy, with the nodes of its rows in F.nodes.tsv; or F.tsv")
      ->type_name("FILE")
      ->required();
  const auto common =
      add_common(*command,
                 "  mcns encode model --graph edges.tsv --features features.tsv --out new.npy\n"
                 "  mcns encode model --graph edges.tsv --out new.tsv\n"
                 "\nThe graph is read as in training unless options of Data say otherwise.\n");
  command->callback([=] { run_encode(*flags, *common); });
}

}  // namespace mcns::cli
