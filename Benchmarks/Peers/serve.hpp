// How the C++ peers are asked: the files, the loop that times a workload, the line that reports it.
//
//   PEER --points FILE --queries FILE --op nearest|radius|bbox|count [--k N] [--radius M]
//        [--half-width DEG] [--count QUERIES] [--answers OUT] [--no-percentiles]
//   PEER --points FILE --serve      a workload (the options above) per line of standard input
//
// Files hold little-endian float64 pairs, longitude and latitude in degrees. A workload is answered
// by one line of JSON. `--op build` builds the index again.
#pragma once

#include "peer.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <sstream>

namespace peers {

// MARK: workloads

inline std::vector<Coordinate> readCoordinates(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Coordinate> coordinates(std::size_t(file.tellg()) / sizeof(Coordinate));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(coordinates.data()),
            std::streamsize(coordinates.size() * sizeof(Coordinate)));
  return coordinates;
}

struct Workload {
  std::string op, queries, answers;
  std::size_t k = 10, count = 0;
  double radius = 0, halfWidth = 0;
  bool percentiles = true;
};

/// Reads options; `points` and `serve` are taken where they stand.
inline Workload parse(std::istream& words, std::string& points, bool& serve) {
  Workload w;
  for (std::string option; words >> option;) {
    if (option == "--serve") { serve = true; continue; }
    if (option == "--no-percentiles") { w.percentiles = false; continue; }
    std::string value;
    if (!(words >> value)) throw std::runtime_error(option + " wants a value");
    if (option == "--points") points = value;
    else if (option == "--queries") w.queries = value;
    else if (option == "--op") w.op = value;
    else if (option == "--answers") w.answers = value;
    else if (option == "--k") w.k = std::stoul(value);
    else if (option == "--count") w.count = std::stoul(value);
    else if (option == "--radius") w.radius = std::stod(value);
    else if (option == "--half-width") w.halfWidth = std::stod(value);
    else throw std::runtime_error("unknown option: " + option);
  }
  return w;
}

inline std::size_t ask(Peer& peer, const Workload& w, Coordinate query) {
  if (w.op == "nearest") return peer.nearest(query, w.k);
  if (w.op == "radius") return peer.within(query, w.radius);
  if (w.op == "bbox") return peer.inBox(query, w.halfWidth);
  if (w.op != "count") throw std::runtime_error("unknown op: " + w.op);
  return w.radius > 0 ? peer.count(query, w.radius) : peer.countInBox(query, w.halfWidth);
}

// MARK: timing

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline std::size_t heapInUse() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The percentiles 50, 99 and 99.9, in µs: a pass of its own, so as not to slow the mean.
template <class Ask>
std::array<double, 3> percentiles(const std::vector<Coordinate>& queries, Ask ask) {
  std::vector<double> times;
  times.reserve(queries.size());
  for (const auto& query : queries) {
    const auto start = Clock::now();
    ask(query);
    times.push_back(seconds(start) * 1e6);
  }
  std::sort(times.begin(), times.end());
  const double last = double(times.size() - 1);
  const auto at = [&](double share) { return times[std::size_t(share * last)]; };
  return {at(0.5), at(0.99), at(0.999)};
}

inline void writeAnswers(Peer& peer, const Workload& w, const std::vector<Coordinate>& queries) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(w.answers.c_str(), "w"), std::fclose);
  if (!file) throw std::runtime_error("cannot write " + w.answers);
  std::vector<Hit> hits;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t count = ask(peer, w, queries[q]);
    if (w.op == "count") {
      std::fprintf(file.get(), "{\"q\":%zu,\"count\":%zu}\n", q, count);
      continue;
    }
    peer.hits(hits);
    std::fprintf(file.get(), "{\"q\":%zu,\"ids\":[", q);
    for (std::size_t i = 0; i < hits.size(); ++i)
      std::fprintf(file.get(), i ? ",%u" : "%u", hits[i].position);
    std::fputs("],\"d\":[", file.get());
    for (std::size_t i = 0; i < hits.size() && w.op != "bbox"; ++i)
      std::fprintf(file.get(), i ? ",%.9f" : "%.9f", hits[i].metres);
    std::fputs("]}\n", file.get());
  }
}

struct Built {
  double seconds, bytesPerPoint;
};

/// A workload's queries, and as many others of the same file to ask before them.
struct Queries {
  std::vector<Coordinate> timed, before;
};

inline Queries readQueries(const Workload& w) {
  auto all = readCoordinates(w.queries);
  if (all.empty()) throw std::runtime_error("no queries in " + w.queries);
  const std::size_t count = w.count > 0 ? std::min(w.count, all.size()) : all.size();
  const auto end = all.begin() + std::ptrdiff_t(count);
  return {{all.begin(), end}, {end, end + std::ptrdiff_t(std::min(count, all.size() - count))}};
}

/// Times one operation over its queries; the op is chosen outside the loop.
///
/// Others were busy since this peer was last asked: other queries warm its caches first.
template <class Ask>
void time(const Workload& w, const Queries& read, const Built& built, Ask ask) {
  const auto& queries = read.timed;
  std::size_t hits = 0;
  for (const auto& query : read.before) ask(query);
  const auto start = Clock::now();
  for (const auto& query : queries) hits += ask(query);
  const double total = seconds(start);
  std::array<double, 3> p{};
  if (w.percentiles) p = percentiles(queries, ask);
  std::printf("{\"op\":\"%s\",\"k\":%zu,\"queries\":%zu,\"usPerQuery\":%.5f,\"p50us\":%.3f,"
              "\"p99us\":%.3f,\"p999us\":%.3f,\"hits\":%zu,\"nsPerHit\":%.4f,"
              "\"buildSeconds\":%.6f,\"bytesPerPoint\":%.2f,\"threads\":1}\n",
              w.op.c_str(), w.op == "nearest" ? w.k : 0, queries.size(),
              total * 1e6 / double(queries.size()), p[0], p[1], p[2], hits,
              hits ? total * 1e9 / double(hits) : 0, built.seconds, built.bytesPerPoint);
}

inline void run(Peer& peer, const Workload& w, const Built& built) {
  const auto queries = readQueries(w);
  if (!w.answers.empty()) writeAnswers(peer, w, queries.timed);
  if (w.op == "nearest")
    time(w, queries, built, [&](Coordinate q) { return peer.nearest(q, w.k); });
  else if (w.op == "radius")
    time(w, queries, built, [&](Coordinate q) { return peer.within(q, w.radius); });
  else if (w.op == "bbox")
    time(w, queries, built, [&](Coordinate q) { return peer.inBox(q, w.halfWidth); });
  else
    time(w, queries, built, [&](Coordinate q) { return ask(peer, w, q); });
}

/// Builds a peer. Its bytes are all it keeps alive to answer: the index, and the points beside it.
template <class Index>
std::unique_ptr<Peer> make(const std::string& points, Built& built) {
  const std::size_t before = heapInUse();
  auto coordinates = readCoordinates(points);
  const std::size_t count = coordinates.size();
  std::unique_ptr<Peer> peer = std::make_unique<Index>(std::move(coordinates));
  const auto start = Clock::now();
  peer->build();
  built.seconds = seconds(start);
  peer->drop();
  built.bytesPerPoint = double(heapInUse() - before) / double(std::max<std::size_t>(count, 1));
  return peer;
}

/// The `main` of a peer.
template <class Index>
int serve(int argc, char** argv) try {
  std::string points, words;
  bool serves = false;
  for (int i = 1; i < argc; ++i) words += std::string(argv[i]) + "\n";
  std::istringstream options(words);
  const auto first = parse(options, points, serves);
  Built built{};
  auto peer = make<Index>(points, built);
  const auto reportBuild = [&] {
    std::printf("{\"op\":\"build\",\"buildSeconds\":%.6f,\"bytesPerPoint\":%.2f,\"threads\":1}\n",
                built.seconds, built.bytesPerPoint);
  };
  if (!serves) return first.op == "build" ? reportBuild() : run(*peer, first, built), 0;
  reportBuild();
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    std::istringstream words(line);
    const auto workload = parse(words, points, serves);
    if (workload.op != "build") { run(*peer, workload, built); continue; }
    peer.reset();
    peer = make<Index>(points, built);
    reportBuild();
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  return 1;
}

}  // namespace peers
