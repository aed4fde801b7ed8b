-- varied coordinates near the places of the feed, from a fixed seed, so that no answer repeats
math.randomseed(20150821)

local cities = {}
for line in io.lines(os.getenv("GEOQ_CITIES")) do
  local lat, lon = line:match("([^ ]+) ([^ ]+)")
  cities[#cities + 1] = {tonumber(lat), tonumber(lon)}
end

local paths = {}

-- only here does wrk know the host that each request must name
function init()
  for index = 1, 100000 do
    local city = cities[math.random(#cities)]
    local lat = math.max(-90, math.min(90, city[1] + (math.random() - 0.5) / 50))
    local lon = math.max(-180, math.min(180, city[2] + (math.random() - 0.5) / 50))
    paths[index] = wrk.format("GET", string.format("/nearest?lat=%.6f&lon=%.6f&count=10", lat, lon))
  end
end

local index = 0

function request()
  index = index % #paths + 1
  return paths[index]
end

dofile(os.getenv("GEOQ_LOAD") .. "/summary.lua")
