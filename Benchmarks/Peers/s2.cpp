// S2: S2ClosestPointQuery over an S2PointIndex. It ranks on the unit sphere.
#include "serve.hpp"

#include <s2/s2closest_point_query.h>
#include <s2/s2latlng.h>
#include <s2/s2point_index.h>

namespace {

using Index = S2PointIndex<std::uint32_t>;
using Query = S2ClosestPointQuery<std::uint32_t>;

S2Point onSphere(peers::Coordinate c) {
  return S2LatLng::FromDegrees(c.latitude, c.longitude).ToPoint();
}

class ClosestPoints final : public peers::Peer {
 public:
  explicit ClosestPoints(std::vector<peers::Coordinate> coordinates) {
    points.reserve(coordinates.size());
    for (const auto& c : coordinates) points.push_back(onSphere(c));
  }

  void build() override {
    for (std::size_t i = 0; i < points.size(); ++i) index.Add(points[i], std::uint32_t(i));
    query.Init(&index);
  }

  void drop() override { std::vector<S2Point>().swap(points); }

  std::size_t nearest(peers::Coordinate center, std::size_t k) override {
    *query.mutable_options() = Query::Options();
    query.mutable_options()->set_max_results(int(k));
    return ask(center);
  }

  std::size_t within(peers::Coordinate center, double metres) override {
    *query.mutable_options() = Query::Options();
    const S1ChordAngle limit(S1Angle::Radians(metres / peers::earthRadius));
    query.mutable_options()->set_inclusive_max_distance(limit);
    return ask(center);
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    for (const auto& each : results)
      out.push_back({each.data(), each.distance().ToAngle().radians() * peers::earthRadius});
  }

 private:
  std::size_t ask(peers::Coordinate center) {
    Query::PointTarget target(onSphere(center));
    query.FindClosestPoints(&target, &results);
    return results.size();
  }

  std::vector<S2Point> points;
  Index index;
  Query query;
  std::vector<Query::Result> results;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<ClosestPoints>(argc, argv); }
