#ifndef GEOQ_MAP_ASSETS_H
#define GEOQ_MAP_ASSETS_H

#include <stddef.h>

/// A file that was compiled into the program; `length` is 0 if it was missing then.
typedef struct {
  const unsigned char *bytes;
  size_t length;
} geoq_asset;

/// `map.js`: the files of the folder `map`.
geoq_asset geoq_map_script(void);

/// `Data/land.geojson`.
geoq_asset geoq_map_land(void);

/// OpenLayers, compressed with gzip.
geoq_asset geoq_map_library(void);

/// The stylesheet of OpenLayers, compressed with gzip.
geoq_asset geoq_map_library_style(void);

#endif
