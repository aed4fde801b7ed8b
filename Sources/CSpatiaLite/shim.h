#ifndef GEOQ_CSPATIALITE_SHIM_H
#define GEOQ_CSPATIALITE_SHIM_H

#include <sqlite3.h>
#include <spatialite.h>

#endif
