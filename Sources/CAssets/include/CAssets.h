#ifndef GEOQ_ASSETS_H
#define GEOQ_ASSETS_H

#include <stddef.h>

/// A file that was compiled into the program; `length` is 0 if it was missing then.
typedef struct {
  const unsigned char *bytes;
  size_t length;
} geoq_asset;

/// `style.css`: the stylesheet of all pages.
geoq_asset geoq_page_style(void);

/// `script.js`: the script of the lunch page.
geoq_asset geoq_page_script(void);

/// `icon.ico`: the icon that browsers show next to a page's title.
geoq_asset geoq_page_icon(void);

/// `schemas.json`: the schemas of the OpenAPI document.
geoq_asset geoq_schemas(void);

/// `map.js`: the script of maps.
geoq_asset geoq_map_script(void);

/// `Data/land.geojson`.
geoq_asset geoq_map_land(void);

/// `THIRD-PARTY-NOTICES`.
geoq_asset geoq_notices(void);

/// The pages of `geoq help`.
geoq_asset geoq_help_formats(void);
geoq_asset geoq_help_filters(void);
geoq_asset geoq_help_coordinates(void);
geoq_asset geoq_help_environment(void);
geoq_asset geoq_help_exit_codes(void);

/// OpenLayers, compressed with gzip.
geoq_asset geoq_map_library(void);

/// The stylesheet of OpenLayers, compressed with gzip.
geoq_asset geoq_map_library_style(void);

#endif
