// Compare geoq's answers with GeographicLib: geographiclib DIR [LEAST_QUERIES]
//
// DIR holds answers.txt and pairs.f64 as written by the test suites OracleAnswers and OracleFiles.
// Everything is recomputed here: distances by GeographicLib's Geodesic::WGS84().Inverse to every
// point, order and membership by brute force, boxes by a rule of their own. What differs by no more
// than a micrometer is counted as a tie; anything else is a failure, and exit status 1.
//
//   g++ -O2 -std=c++17 Tests/oracle/geographiclib.cpp -lGeographicLib -o geographiclib

#include <GeographicLib/Constants.hpp>
#include <GeographicLib/Geodesic.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double tolerance = 1e-6;  // meters

double geodesic(double lat1, double lon1, double lat2, double lon2) {
  double meters;
  GeographicLib::Geodesic::WGS84().Inverse(lat1, lon1, lat2, lon2, meters);
  return meters;
}

/// The words of a file, one after the other.
class Words {
 public:
  explicit Words(const std::string& path) : stream_(path) {
    if (!stream_) throw std::runtime_error("cannot read " + path);
  }

  bool next(std::string& word) { return static_cast<bool>(stream_ >> word); }

  std::string word() {
    std::string word;
    if (!next(word)) throw std::runtime_error("the file ends too early");
    return word;
  }

  // not operator>>: it takes no inf, and sets fail on subnormal numbers
  double number() {
    const std::string text = word();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') throw std::runtime_error("no number: " + text);
    return value;
  }

  std::size_t count() { return std::stoull(word()); }

 private:
  std::ifstream stream_;
};

struct Point {
  double lat, lon;
};

struct Answer {
  std::vector<std::size_t> indexes;
  std::vector<double> distances;
};

/// Closed membership; the box runs from west eastward to east.
bool in_box(Point p, double west, double south, double east, double north) {
  if (p.lat < south || p.lat > north) return false;
  if (std::abs(p.lat) == 90) return true;
  if (std::abs(west) == 180 && std::abs(east) == 180)
    return (west < 0 && east > 0) || std::abs(p.lon) == 180;
  // on a circle cut at the antimeridian, which is both -180 and 180 where an arc starts or ends
  const double from = west == 180 ? -180 : west;
  const double to = east == -180 ? 180 : east;
  const auto lies = [&](double lon) {
    return from <= to ? from <= lon && lon <= to : from <= lon || lon <= to;
  };
  return std::abs(p.lon) == 180 ? lies(-180) || lies(180) : lies(p.lon);
}

class Checker {
 public:
  std::map<std::string, std::size_t> queries;
  std::size_t total = 0, bad = 0, ties = 0, tied_places = 0, rim = 0, inverses = 0;
  double worst = 0;

  void read(Words& words) {
    std::string kind;
    while (words.next(kind)) {
      if (kind == "points") points(words);
      else if (kind == "filter") filter(words);
      else query(kind, words);
    }
  }

 private:
  std::string layout_;
  std::vector<Point> points_;
  std::map<long, std::vector<bool>> filters_;
  // the last center and the distances from there, since several queries share one
  Point center_{NAN, NAN};
  std::vector<double> true_;
  std::vector<std::size_t> ranked_;

  void points(Words& words) {
    layout_ = words.word();
    points_.resize(words.count());
    for (Point& point : points_) {
      point.lat = words.number();
      point.lon = words.number();
    }
    filters_.clear();
    filters_[-1] = std::vector<bool>(points_.size(), true);
    center_ = {NAN, NAN};
  }

  void filter(Words& words) {
    auto& members = filters_[std::stol(words.word())];
    members.assign(points_.size(), false);
    for (std::size_t left = words.count(); left > 0; --left) members.at(words.count()) = true;
  }

  void rank(Point center) {
    if (center.lat == center_.lat && center.lon == center_.lon) return;
    center_ = center;
    true_.clear();
    for (const Point& p : points_)
      true_.push_back(geodesic(center.lat, center.lon, p.lat, p.lon));
    inverses += points_.size();
    ranked_.resize(points_.size());
    for (std::size_t i = 0; i < ranked_.size(); ++i) ranked_[i] = i;
    std::sort(ranked_.begin(), ranked_.end(), [&](std::size_t i, std::size_t j) {
      return std::make_pair(true_[i], i) < std::make_pair(true_[j], j);
    });
  }

  Answer answer(Words& words, bool with_distances) {
    Answer answer;
    for (std::size_t left = words.count(); left > 0; --left) {
      answer.indexes.push_back(words.count());
      if (with_distances) answer.distances.push_back(words.number());
    }
    return answer;
  }

  void query(const std::string& kind, Words& words) {
    const auto& allowed = filters_.at(std::stol(words.word()));
    std::string fault;
    if (kind == "box" || kind == "boxUnsorted" || kind == "boxCount") {
      fault = box(kind, words, allowed);
    } else {
      const double lat = words.number(), lon = words.number();
      rank({lat, lon});
      const bool is_nearest = kind == "nearest" || kind == "batch";
      const std::size_t count = is_nearest ? words.count() : points_.size();
      const double limit = words.number();
      if (kind == "radiusCount") fault = counted(words.count(), limit, allowed);
      else if (kind == "radius" || kind == "radiusUnsorted" || is_nearest)
        fault = listed(answer(words, true), count, limit, allowed);
      else throw std::runtime_error("no query: " + kind);
    }
    ++queries[kind];
    ++total;
    if (fault.empty()) return;
    if (++bad <= 10)
      std::printf("  %s, %zu points, query %zu, %s: %s\n", layout_.c_str(), points_.size(), total,
                  kind.c_str(), fault.c_str());
  }

  std::string box(const std::string& kind, Words& words, const std::vector<bool>& allowed) {
    const double west = words.number(), south = words.number();
    const double east = words.number(), north = words.number();
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (allowed[i] && in_box(points_[i], west, south, east, north)) expected.push_back(i);
    if (kind == "boxCount")
      return words.count() == expected.size() ? "" : "a wrong count";
    return answer(words, false).indexes == expected ? "" : "wrong members or order";
  }

  /// How many are nearer than a limit by at least a micrometer, and than a micrometer beyond it.
  std::pair<std::size_t, std::size_t> bounds(double limit, const std::vector<bool>& allowed) {
    std::size_t sure = 0, possible = 0;
    for (std::size_t i = 0; i < true_.size(); ++i) {
      sure += allowed[i] && true_[i] < limit - tolerance;
      possible += allowed[i] && true_[i] <= limit + tolerance;
    }
    return {sure, possible};
  }

  std::string counted(std::size_t count, double limit, const std::vector<bool>& allowed) {
    const auto [sure, possible] = bounds(limit, allowed);
    const std::size_t exact = std::count_if(ranked_.begin(), ranked_.end(), [&](std::size_t i) {
      return allowed[i] && true_[i] <= limit;
    });
    if (count < sure || count > possible) return "a wrong count";
    rim += count > exact ? count - exact : exact - count;
    return "";
  }

  /// Nearest and radius: the first `count` of the ranking up to a limit.
  std::string listed(const Answer& got, std::size_t count, double limit,
                     const std::vector<bool>& allowed) {
    const auto [sure, possible] = bounds(limit, allowed);
    const std::size_t size = got.indexes.size();
    if (size < std::min(count, sure) || size > std::min(count, possible)) return "a wrong length";
    rim += std::min(count, possible) - std::min(count, sure) > 0;
    std::set<std::size_t> seen;
    std::vector<std::size_t> expected;
    for (std::size_t i : ranked_)
      if (allowed[i] && expected.size() < size) expected.push_back(i);
    std::size_t swapped = 0;
    for (std::size_t place = 0; place < size; ++place) {
      const std::size_t i = got.indexes[place];
      if (i >= points_.size() || !seen.insert(i).second) return "a repeated or foreign index";
      if (!allowed[i]) return "an index that the filter does not allow";
      const double error = std::abs(true_[i] - got.distances[place]);
      if (!(error <= tolerance)) return "a distance off by more than 1 um";
      worst = std::max(worst, error);
      if (got.distances[place] > limit) return "an answer beyond the limit";
      if (place > 0 && std::make_pair(got.distances[place - 1], got.indexes[place - 1]) >=
                           std::make_pair(got.distances[place], i))
        return "not in order of (distance, index)";
      if (i == expected[place]) continue;
      if (std::abs(true_[i] - true_[expected[place]]) > tolerance)
        return "a wrong order, or a nearer point left out";
      ++swapped;
    }
    ties += swapped > 0;
    tied_places += swapped;
    return "";
  }
};

/// The count of pairs, and the largest error of their distances.
std::pair<std::size_t, double> check_pairs(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::array<double, 5> row;  // little-endian, as this machine is
  std::size_t count = 0;
  double worst = 0;
  while (stream.read(reinterpret_cast<char*>(row.data()), sizeof row)) {
    const double error = std::abs(geodesic(row[0], row[1], row[2], row[3]) - row[4]);
    worst = error <= worst ? worst : error;  // NaN stays
    ++count;
  }
  return {count, worst};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: geographiclib DIR [LEAST_QUERIES]\n");
    return 64;
  }
  const std::string folder = argv[1];
  const std::size_t least = argc > 2 ? std::stoull(argv[2]) : 1;
  try {
    const auto [pairs, pair_error] = check_pairs(folder + "/pairs.f64");
    std::printf("GeographicLib %s: pairs %zu, max error %.3e m\n", GEOGRAPHICLIB_VERSION_STRING,
                pairs, pair_error);
    Words words(folder + "/answers.txt");
    Checker checker;
    checker.read(words);
    std::printf("queries %zu (", checker.total);
    for (const auto& [kind, count] : checker.queries) std::printf(" %s %zu", kind.c_str(), count);
    std::printf(" ), distances computed %zu\nbad %zu\n", checker.inverses, checker.bad);
    std::printf("max error of a reported distance %.3e m\n", checker.worst);
    std::printf("queries with ties explained %zu (%zu places), with members at the rim %zu\n",
                checker.ties, checker.tied_places, checker.rim);
    const bool passed = checker.bad == 0 && checker.total >= least && pair_error <= tolerance;
    if (checker.total < least) std::printf("fewer queries than %zu\n", least);
    return passed ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "geographiclib: %s\n", error.what());
    return 1;
  }
}
