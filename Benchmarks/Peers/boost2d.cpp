// Boost.Geometry: a packed R*-tree over longitude and latitude as a plane, nodes of 16; for boxes.
#include "serve.hpp"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace {

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Point = bg::model::point<double, 2, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Point, std::uint32_t>;
using Tree = bgi::rtree<Value, bgi::rstar<16>>;

class Boost2D final : public peers::Peer {
 public:
  explicit Boost2D(std::vector<peers::Coordinate> coordinates) {
    values.reserve(coordinates.size());
    for (const auto& c : coordinates)
      values.emplace_back(Point(c.longitude, c.latitude), std::uint32_t(values.size()));
  }

  void build() override { tree = Tree(values.begin(), values.end()); }

  void drop() override { std::vector<Value>().swap(values); }

  std::size_t inBox(peers::Coordinate query, double halfWidth) override {
    ids.clear();
    ask(query, halfWidth, [this](const Value& value) { ids.push_back(value.second); });
    return ids.size();
  }

  std::size_t countInBox(peers::Coordinate query, double halfWidth) override {
    return ask(query, halfWidth, [](const Value&) {});
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out.clear();
    for (const auto id : ids) out.push_back({id, 0});
  }

 private:
  // a plane ends at the antimeridian: a box across it is asked in two halves
  template <class Take>
  std::size_t ask(peers::Coordinate c, double halfWidth, Take take) const {
    const double south = c.latitude - halfWidth, north = c.latitude + halfWidth;
    const double west = c.longitude - halfWidth, east = c.longitude + halfWidth;
    const auto between = [&](double from, double to) {
      const Box box(Point(from, south), Point(to, north));
      return tree.query(bgi::intersects(box), boost::make_function_output_iterator(take));
    };
    if (west < -180) return between(west + 360, 180) + between(-180, east);
    if (east > 180) return between(west, 180) + between(-180, east - 360);
    return between(west, east);
  }

  std::vector<Value> values;
  Tree tree;
  std::vector<std::uint32_t> ids;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<Boost2D>(argc, argv); }
