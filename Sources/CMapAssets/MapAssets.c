// The files of the map, embedded by the compiler (C23). `Scripts/map-library` fetches those in `vendor`, and
// touches this file: the compiler notices a change of an embedded file, but not that one has come.
#include "CMapAssets.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

#define ASSET(name)                                                                                        \
  geoq_asset geoq_map_##name(void) {                                                                       \
    geoq_asset asset = {name, sizeof name};                                                                \
    return asset;                                                                                          \
  }

#define MISSING(name)                                                                                      \
  geoq_asset geoq_map_##name(void) {                                                                       \
    geoq_asset asset = {0, 0};                                                                             \
    return asset;                                                                                          \
  }

#ifdef __has_embed
#define HAS(file) __has_embed(file)
#else
#define HAS(file) 0
#endif

// one module of several files, in this order
#if HAS("map/tools.js")
static const unsigned char script[] = {
#embed "map/tools.js" suffix(, )
#embed "map/places.js" suffix(, )
#embed "map/paint.js" suffix(, )
#embed "map/callout.js" suffix(, )
#embed "map/map.js" suffix(, )
#embed "map/start.js"
};
ASSET(script)
#else
MISSING(script)
#endif

#if HAS("../../Data/land.geojson")
static const unsigned char land[] = {
#embed "../../Data/land.geojson"
};
ASSET(land)
#else
MISSING(land)
#endif

#if HAS("vendor/ol.js.gz")
static const unsigned char library[] = {
#embed "vendor/ol.js.gz"
};
ASSET(library)
#else
MISSING(library)
#endif

#if HAS("vendor/ol.css.gz")
static const unsigned char library_style[] = {
#embed "vendor/ol.css.gz"
};
ASSET(library_style)
#else
MISSING(library_style)
#endif
