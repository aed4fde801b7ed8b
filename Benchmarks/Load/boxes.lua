-- pages of ten restaurants in boxes of 0.1 degrees near the places of the feed, from a fixed seed
math.randomseed(20150821)

local cities = {}
for line in io.lines(os.getenv("GEOQ_CITIES")) do
  local lat, lon = line:match("([^ ]+) ([^ ]+)")
  cities[#cities + 1] = {tonumber(lat), tonumber(lon)}
end

local paths = {}

-- only here does wrk know the host that each request must name
function init()
  for index = 1, 2000 do
    local city = cities[math.random(#cities)]
    local lat = math.max(-89, math.min(89, city[1]))
    local lon = math.max(-179, math.min(179, city[2] + (math.random() - 0.5) / 50))
    paths[index] = wrk.format("GET", string.format(
      "/collections/restaurants/items?f=json&limit=10&bbox=%.6f,%.6f,%.6f,%.6f",
      lon - 0.05, lat - 0.05, lon + 0.05, lat + 0.05))
  end
end

local index = 0

function request()
  index = index % #paths + 1
  return paths[index]
end

dofile(os.getenv("GEOQ_LOAD") .. "/summary.lua")
