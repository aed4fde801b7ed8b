// A baseline of our own: points along the Hilbert curve in degrees, a box as a few runs of it.
//
// After "Simpler is Faster" (arXiv 2508.19891): the box is covered by cells, their keys are merged
// into at most four runs, each run is found by binary search and scanned.
#include "serve.hpp"

namespace {

constexpr int levels = 31;
constexpr std::size_t mostRuns = 4;
constexpr double cellsAcross = 4;

struct Run {
  std::uint64_t first, end;  // keys
};

struct Box {
  double west, south, east, north;
};

/// The key of a cell of a level: two bits per level (the curve turns as it descends).
std::uint64_t key(std::uint32_t x, std::uint32_t y, int level) {
  std::uint64_t d = 0;
  for (std::uint32_t s = std::uint32_t(1) << (level - 1); s > 0; s >>= 1) {
    const std::uint32_t rx = (x & s) != 0, ry = (y & s) != 0;
    d = d << 2 | ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) { x = ~x; y = ~y; }
      std::swap(x, y);
    }
  }
  return d;
}

/// The column or row, among 2^level, that holds a number of degrees of a range.
std::uint32_t cell(double degrees, double range, int level) {
  const double cells = double(std::uint32_t(1) << level);
  const double at = (degrees / range + 0.5) * cells;
  return std::uint32_t(std::clamp(at, 0.0, cells - 1));
}

class HilbertArray final : public peers::Peer {
 public:
  explicit HilbertArray(std::vector<peers::Coordinate> coordinates)
      : given(std::move(coordinates)) {}

  void build() override {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    order.reserve(given.size());
    for (const auto& c : given)
      order.emplace_back(key(cell(c.longitude, 360, levels), cell(c.latitude, 180, levels), levels),
                         std::uint32_t(order.size()));
    std::sort(order.begin(), order.end());
    ids.reserve(order.size());
    keys.reserve(order.size());
    points.reserve(order.size());
    sites.reserve(order.size());
    for (const auto& [key, id] : order) {
      keys.push_back(key);
      ids.push_back(id);
      points.push_back(given[id]);
      sites.push_back(peers::onUnitSphere<double>(given[id]));
    }
  }

  void drop() override { std::vector<peers::Coordinate>().swap(given); }

  std::size_t inBox(peers::Coordinate c, double halfWidth) override {
    found.clear();
    inside.clear();
    scan(around(c, halfWidth, halfWidth), [this](std::size_t i) { inside.push_back(ids[i]); });
    return inside.size();
  }

  std::size_t countInBox(peers::Coordinate c, double halfWidth) override {
    std::size_t count = 0;
    scan(around(c, halfWidth, halfWidth), [&count](std::size_t) { ++count; });
    return count;
  }

  // the box around the circle, then each point by its chord on the sphere
  std::size_t within(peers::Coordinate c, double metres) override {
    const double angle = metres / peers::earthRadius, latitude = c.latitude * peers::radians;
    const double sine = std::sin(angle) / std::cos(latitude);
    const bool pole = std::abs(latitude) + angle >= M_PI / 2;
    const double wide = pole ? 180 : std::asin(std::min(1.0, sine)) / peers::radians;
    const double limit = peers::chordSquared(metres);
    const auto center = peers::onUnitSphere<double>(c);
    found.clear();
    inside.clear();
    scan(around(c, wide, angle / peers::radians), [&](std::size_t i) {
      const auto& p = sites[i];
      const double x = p[0] - center[0], y = p[1] - center[1], z = p[2] - center[2];
      const double chordSquared = x * x + y * y + z * z;
      if (chordSquared <= limit) found.push_back({ids[i], chordSquared});
    });
    return found.size();
  }

  void hits(std::vector<peers::Hit>& out) const override {
    out = found;
    for (auto& hit : out) hit.metres = peers::metres(hit.metres);
    for (const auto id : inside) out.push_back({id, 0});
  }

 private:
  static Box around(peers::Coordinate c, double wide, double high) {
    return {c.longitude - wide, c.latitude - high, c.longitude + wide, c.latitude + high};
  }

  // a box across the antimeridian is asked in two halves
  template <class Take>
  void scan(const Box& b, Take take) const {
    if (b.east - b.west >= 360) return scanHalf({-180, b.south, 180, b.north}, take);
    if (b.west < -180) {
      scanHalf({b.west + 360, b.south, 180, b.north}, take);
      return scanHalf({-180, b.south, b.east, b.north}, take);
    }
    if (b.east > 180) {
      scanHalf({b.west, b.south, 180, b.north}, take);
      return scanHalf({-180, b.south, b.east - 360, b.north}, take);
    }
    scanHalf(b, take);
  }

  template <class Take>
  void scanHalf(const Box& b, Take take) const {
    std::size_t start = 0;
    for (const auto& run : cover(b)) {
      start = std::size_t(std::lower_bound(keys.begin() + std::ptrdiff_t(start), keys.end(),
                                           run.first) - keys.begin());
      for (; start < keys.size() && keys[start] < run.end; ++start) {
        const auto& p = points[start];
        if (p.longitude >= b.west && p.longitude <= b.east && p.latitude >= b.south &&
            p.latitude <= b.north)
          take(start);
      }
    }
  }

  /// Runs of keys that hold the box: of all its cells on the level where it is some cells across.
  std::vector<Run>& cover(const Box& b) const {
    const double share = std::max((b.east - b.west) / 360, (b.north - b.south) / 180);
    const int level = std::clamp(int(std::log2(cellsAcross / std::max(share, 1e-9))), 1, levels);
    const std::uint32_t left = cell(b.west, 360, level), right = cell(b.east, 360, level);
    const std::uint32_t low = cell(b.south, 180, level), high = cell(b.north, 180, level);
    const int shift = 2 * (levels - level);
    runs.clear();
    for (std::uint32_t x = left; x <= right; ++x)
      for (std::uint32_t y = low; y <= high; ++y) {
        const std::uint64_t first = key(x, y, level);
        runs.push_back({first << shift, (first + 1) << shift});
      }
    std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.first < b.first; });
    merge();
    return runs;
  }

  /// Joins runs across the narrowest gaps until few are left.
  void merge() const {
    gaps.clear();
    for (std::size_t i = 1; i < runs.size(); ++i) gaps.push_back(runs[i].first - runs[i - 1].end);
    std::uint64_t widestJoined = 0;
    if (gaps.size() >= mostRuns) {
      std::nth_element(gaps.begin(), gaps.begin() + mostRuns - 1, gaps.end(), std::greater<>());
      widestJoined = gaps[mostRuns - 1];
    }
    std::size_t last = 0;
    for (std::size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].first - runs[last].end <= widestJoined) runs[last].end = runs[i].end;
      else runs[++last] = runs[i];
    }
    runs.resize(last + 1);
  }

  std::vector<peers::Coordinate> given, points;
  std::vector<std::uint64_t> keys;
  std::vector<std::array<double, 3>> sites;  // the points on the unit sphere
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> inside;  // what a box found
  std::vector<peers::Hit> found;      // what a radius found, with squared chords
  mutable std::vector<Run> runs;
  mutable std::vector<std::uint64_t> gaps;
};

}  // namespace

int main(int argc, char** argv) { return peers::serve<HilbertArray>(argc, argv); }
