-- one line that Benchmarks/service reads
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "RESULT %.0f %.3f %.3f %.3f %d\n",
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
