// The files of Sources/GeoService/assets and Sources/geoq/help, embedded by the compiler (C23). `Scripts/map-library`
// fetches those in `vendor`, and touches this file: the compiler notices a change of an embedded file, but not that one
// has come.
#include "CAssets.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

#define ASSET(name)                                                                                        \
  geoq_asset geoq_##name(void) {                                                                           \
    geoq_asset asset = {name, sizeof name};                                                                \
    return asset;                                                                                          \
  }

#define MISSING(name)                                                                                      \
  geoq_asset geoq_##name(void) {                                                                           \
    geoq_asset asset = {0, 0};                                                                             \
    return asset;                                                                                          \
  }

static const unsigned char page_style[] = {
#embed "../GeoService/assets/style.css"
};
ASSET(page_style)

static const unsigned char page_script[] = {
#embed "../GeoService/assets/script.js"
};
ASSET(page_script)

static const unsigned char page_icon[] = {
#embed "../GeoService/assets/icon.ico"
};
ASSET(page_icon)

static const unsigned char schemas[] = {
#embed "../GeoService/assets/schemas.json"
};
ASSET(schemas)

static const unsigned char map_script[] = {
#embed "../GeoService/assets/map.js"
};
ASSET(map_script)

static const unsigned char map_land[] = {
#embed "../../Data/land.geojson"
};
ASSET(map_land)

static const unsigned char notices[] = {
#embed "../../THIRD-PARTY-NOTICES"
};
ASSET(notices)

static const unsigned char help_formats[] = {
#embed "../geoq/help/formats.txt"
};
ASSET(help_formats)

static const unsigned char help_filters[] = {
#embed "../geoq/help/filters.txt"
};
ASSET(help_filters)

static const unsigned char help_coordinates[] = {
#embed "../geoq/help/coordinates.txt"
};
ASSET(help_coordinates)

static const unsigned char help_environment[] = {
#embed "../geoq/help/environment.txt"
};
ASSET(help_environment)

static const unsigned char help_exit_codes[] = {
#embed "../geoq/help/exit-codes.txt"
};
ASSET(help_exit_codes)

// what is fetched may be missing

#if __has_embed("../GeoService/assets/vendor/ol.js.gz")
static const unsigned char map_library[] = {
#embed "../GeoService/assets/vendor/ol.js.gz"
};
ASSET(map_library)
#else
MISSING(map_library)
#endif

#if __has_embed("../GeoService/assets/vendor/ol.css.gz")
static const unsigned char map_library_style[] = {
#embed "../GeoService/assets/vendor/ol.css.gz"
};
ASSET(map_library_style)
#else
MISSING(map_library_style)
#endif
