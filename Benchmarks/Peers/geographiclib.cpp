// GeographicLib: NearestNeighbor over Geodesic::WGS84(), buckets of 4. The only other exact one.
#include "serve.hpp"

#include <GeographicLib/Geodesic.hpp>
#include <GeographicLib/NearestNeighbor.hpp>

namespace {

struct Metric {
  const GeographicLib::Geodesic& geodesic = GeographicLib::Geodesic::WGS84();

  double operator()(const peers::Coordinate& a, const peers::Coordinate& b) const {
    double metres;
    geodesic.Inverse(a.latitude, a.longitude, b.latitude, b.longitude, metres);
    return metres;
  }
};

class VantagePoints final : public peers::Peer {
 public:
  explicit VantagePoints(std::vector<peers::Coordinate> coordinates)
      : points(std::move(coordinates)) {}

  void build() override { tree.Initialize(points, metric, 4); }

  std::size_t nearest(peers::Coordinate query, std::size_t k) override {
    tree.Search(points, metric, query, found, int(k));
    return measure(query);
  }

  std::size_t within(peers::Coordinate query, double metres) override {
    tree.Search(points, metric, query, found, int(points.size()), metres);
    return measure(query);
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    for (std::size_t i = 0; i < found.size(); ++i)
      out.push_back({std::uint32_t(found[i]), distances[i]});
  }

 private:
  // the tree gives positions, nearest first, and keeps their distances to itself
  std::size_t measure(peers::Coordinate query) {
    distances.clear();
    for (const int id : found) distances.push_back(metric(query, points[std::size_t(id)]));
    return found.size();
  }

  const Metric metric;
  std::vector<peers::Coordinate> points;
  GeographicLib::NearestNeighbor<double, peers::Coordinate, Metric> tree;
  std::vector<int> found;
  std::vector<double> distances;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<VantagePoints>(argc, argv); }
