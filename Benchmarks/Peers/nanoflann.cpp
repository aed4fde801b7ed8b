// nanoflann: a k-d tree over the unit sphere, leaves of 10. SCALAR is float or double.
#include "serve.hpp"

#include <nanoflann.hpp>

#ifndef SCALAR
#define SCALAR float
#endif

namespace {

using Scalar = SCALAR;
using Id = std::uint32_t;

struct Cloud {
  std::vector<std::array<Scalar, 3>> points;

  std::size_t kdtree_get_point_count() const { return points.size(); }
  Scalar kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const { return false; }
};

using Metric = nanoflann::L2_Simple_Adaptor<Scalar, Cloud, Scalar, Id>;
using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, Cloud, 3, Id>;

/// Counts what a radius query finds and keeps nothing.
struct Counter {
  const Scalar limit;
  std::size_t found = 0;

  std::size_t size() const { return found; }
  bool full() const { return true; }
  Scalar worstDist() const { return limit; }
  bool addPoint(Scalar distance, Id) {
    found += distance < limit;
    return true;
  }
};

class Nanoflann final : public peers::Peer {
 public:
  explicit Nanoflann(std::vector<peers::Coordinate> coordinates) {
    cloud.points.reserve(coordinates.size());
    for (const auto& c : coordinates) cloud.points.push_back(peers::onUnitSphere<Scalar>(c));
  }

  // the constructor of 1.4.2 does not build the index
  void build() override {
    tree = std::make_unique<Tree>(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    tree->buildIndex();
  }

  std::size_t nearest(peers::Coordinate query, std::size_t k) override {
    ids.resize(k);
    chordsSquared.resize(k);
    const auto point = peers::onUnitSphere<Scalar>(query);
    fromRadius = false;
    return found = tree->knnSearch(point.data(), k, ids.data(), chordsSquared.data());
  }

  std::size_t within(peers::Coordinate query, double metres) override {
    const auto point = peers::onUnitSphere<Scalar>(query);
    fromRadius = true;
    return tree->radiusSearch(point.data(), Scalar(peers::chordSquared(metres)), inside, unsorted);
  }

  std::size_t count(peers::Coordinate query, double metres) override {
    const auto point = peers::onUnitSphere<Scalar>(query);
    Counter counter{Scalar(peers::chordSquared(metres))};
    tree->findNeighbors(counter, point.data(), unsorted);
    return counter.found;
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    if (fromRadius)
      for (const auto& [id, chord] : inside) out.push_back({id, peers::metres(chord)});
    else
      for (std::size_t i = 0; i < found; ++i)
        out.push_back({ids[i], peers::metres(chordsSquared[i])});
  }

 private:
  const nanoflann::SearchParams unsorted{32, 0, false};
  Cloud cloud;
  std::unique_ptr<Tree> tree;
  std::vector<Id> ids;
  std::vector<Scalar> chordsSquared;
  std::vector<std::pair<Id, Scalar>> inside;
  std::size_t found = 0;
  bool fromRadius = false;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<Nanoflann>(argc, argv); }
