#ifndef GEOQ_CSPATIALITE_SHIM_H
#define GEOQ_CSPATIALITE_SHIM_H

#include <sqlite3.h>
#include <spatialite.h>

// the functions' types, for a library that is loaded when it is needed
typedef __typeof__(&spatialite_version) geoq_spatialite_version;
typedef __typeof__(&spatialite_initialize) geoq_spatialite_initialize;
typedef __typeof__(&spatialite_alloc_connection) geoq_spatialite_alloc_connection;
typedef __typeof__(&spatialite_init_ex) geoq_spatialite_init_ex;
typedef __typeof__(&spatialite_set_silent_mode) geoq_spatialite_set_silent_mode;
typedef __typeof__(&spatialite_cleanup_ex) geoq_spatialite_cleanup_ex;

#endif
