// Hard negatives for a model of your own: a matrix of users, one of items, and what users have.
#include <cstdio>

#include "mcns/mcns.h"

int main() {
  mcns::ThreadPool pool;
  const mcns::Graph graph =
      mcns::generate_graph("bipartite", {.nodes = 300, .edges = 2000, .users = 100}, pool).graph;
  mcns::Matrix vectors(graph.num_nodes(), 16);  // yours: rows of users, then of items
  mcns::Rng rng(1, mcns::Domain::kInit);
  for (float& x : vectors.flat()) x = static_cast<float>(rng.normal());

  mcns::SamplerSession session(graph, {.sampler = "mcns:hardness=8", .negatives = 4, .dim = 16},
                               pool);
  const std::vector<mcns::NodeId> users = {3, 14, 15};
  const mcns::Negatives drawn = session.draw(users, {}, 4, {vectors.view(), vectors.view()});
  for (std::size_t i = 0; i < users.size(); ++i)
    std::printf("user %d: %d %d %d %d\n", users[i], drawn.ids[4 * i], drawn.ids[4 * i + 1],
                drawn.ids[4 * i + 2], drawn.ids[4 * i + 3]);
}
