// FLINN (bucket-pr-kdtree of Julian Kent): a k-d tree over the unit sphere, buckets of 32. SCALAR is float or double.
// Its search of a ball keeps the hits in order by insertion, in quadratic time, and is omitted.
#include "serve.hpp"

#include <flinn.h>

#ifndef SCALAR
#define SCALAR float
#endif

namespace {

using Scalar = SCALAR;
using Tree = flinn::FlinnIndex<std::uint32_t, 3, 32, flinn::SquaredL2, Scalar>;

class Flinn final : public peers::Peer {
 public:
  explicit Flinn(std::vector<peers::Coordinate> coordinates) : given(std::move(coordinates)) {}

  // without splits on the way, as its tuning tips say for points that are all known
  void build() override {
    std::uint32_t id = 0;
    for (const auto& c : given) tree.addPoint(peers::onUnitSphere<Scalar>(c), id++, false);
    tree.splitOutstanding();
    searcher = std::make_unique<typename Tree::Searcher>(tree);
  }

  void drop() override { std::vector<peers::Coordinate>().swap(given); }

  std::size_t nearest(peers::Coordinate query, std::size_t k) override {
    const auto point = peers::onUnitSphere<Scalar>(query);
    found = &searcher->search(point, std::numeric_limits<Scalar>::max(), k);
    return found->size();
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    for (const auto& hit : *found) out.push_back({hit.payload, peers::metres(hit.distance)});
  }

 private:
  std::vector<peers::Coordinate> given;
  Tree tree;
  std::unique_ptr<typename Tree::Searcher> searcher;
  const std::vector<typename Tree::DistancePayload>* found = nullptr;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<Flinn>(argc, argv); }
