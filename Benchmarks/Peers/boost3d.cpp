// Boost.Geometry: a packed R*-tree over the unit sphere in Double, nodes of 16.
#include "serve.hpp"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace {

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Point = bg::model::point<double, 3, bg::cs::cartesian>;
using Value = std::pair<Point, std::uint32_t>;
using Tree = bgi::rtree<Value, bgi::rstar<16>>;

Point onSphere(peers::Coordinate c) {
  const auto p = peers::onUnitSphere<double>(c);
  return {p[0], p[1], p[2]};
}

struct Found {
  double chordSquared;
  std::uint32_t id;

  bool operator<(const Found& other) const {
    return chordSquared != other.chordSquared ? chordSquared < other.chordSquared : id < other.id;
  }
};

class Boost3D final : public peers::Peer {
 public:
  explicit Boost3D(std::vector<peers::Coordinate> coordinates) {
    values.reserve(coordinates.size());
    for (const auto& c : coordinates)
      values.emplace_back(onSphere(c), std::uint32_t(values.size()));
  }

  // a range makes the tree pack; the tree keeps copies
  void build() override { tree = Tree(values.begin(), values.end()); }

  void drop() override { std::vector<Value>().swap(values); }

  // Boost gives the k nearest in no order and without distances
  std::size_t nearest(peers::Coordinate query, std::size_t k) override {
    const Point center = onSphere(query);
    found.clear();
    tree.query(bgi::nearest(center, unsigned(k)),
               boost::make_function_output_iterator([&](const Value& value) {
                 found.push_back({bg::comparable_distance(value.first, center), value.second});
               }));
    std::sort(found.begin(), found.end());
    return found.size();
  }

  // its tree has no ball: the box around it, then each point by its chord
  std::size_t within(peers::Coordinate query, double metres) override {
    const Point center = onSphere(query);
    const double limit = peers::chordSquared(metres), reach = std::sqrt(limit);
    const auto shifted = [&](double by) {
      return Point(center.get<0>() + by, center.get<1>() + by, center.get<2>() + by);
    };
    const bg::model::box<Point> box(shifted(-reach), shifted(reach));
    found.clear();
    tree.query(bgi::intersects(box), boost::make_function_output_iterator([&](const Value& value) {
      const double chordSquared = bg::comparable_distance(value.first, center);
      if (chordSquared <= limit) found.push_back({chordSquared, value.second});
    }));
    return found.size();
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    for (const auto& each : found) out.push_back({each.id, peers::metres(each.chordSquared)});
  }

 private:
  std::vector<Value> values;
  Tree tree;
  std::vector<Found> found;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<Boost3D>(argc, argv); }
