#ifndef GEOQ_CZLIB_SHIM_H
#define GEOQ_CZLIB_SHIM_H

#include <zlib.h>

#endif
