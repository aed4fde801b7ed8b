// What the C++ peers share: what a peer is, and the sphere that most of them rank on.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

constexpr double earthRadius = 6371008.8;  // metres: the mean radius, (2a + b) / 3
constexpr double radians = M_PI / 180;

struct Coordinate {
  double longitude, latitude;  // degrees
};

struct Hit {
  std::uint32_t position;
  double metres;
};

/// An index under test: the constructor takes the points, `build` is what the build time covers.
///
/// A query returns its number of hits and keeps them, in the peer's own form, for `hits`.
struct Peer {
  virtual ~Peer() = default;
  virtual void build() = 0;
  virtual void drop() {}  // what was needed to build and is not needed to answer
  virtual std::size_t nearest(Coordinate, std::size_t) { return unsupported("nearest"); }
  virtual std::size_t within(Coordinate, double) { return unsupported("radius"); }
  virtual std::size_t count(Coordinate, double) { return unsupported("count by radius"); }
  virtual std::size_t inBox(Coordinate, double) { return unsupported("bbox"); }
  virtual std::size_t countInBox(Coordinate, double) { return unsupported("count by box"); }
  virtual void hits(std::vector<Hit>&) const = 0;

  [[noreturn]] static std::size_t unsupported(const std::string& op) {
    throw std::runtime_error("this peer does not answer: " + op);
  }
};

// MARK: the sphere

template <class Number>
std::array<Number, 3> onUnitSphere(Coordinate c) {
  const double latitude = c.latitude * radians, longitude = c.longitude * radians;
  const double z = std::sin(latitude), r = std::cos(latitude);
  return {Number(r * std::cos(longitude)), Number(r * std::sin(longitude)), Number(z)};
}

inline double chordSquared(double metres) {
  const double chord = 2 * std::sin(std::min(metres / (2 * earthRadius), M_PI / 2));
  return chord * chord;
}

inline double metres(double chordSquared) {
  return 2 * earthRadius * std::asin(std::min(1.0, std::sqrt(chordSquared) / 2));
}

}  // namespace peers
