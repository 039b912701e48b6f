/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_SQLITE_H
#define TL_QUERY_SQL_SQLITE_H
/*
 * SQLite as the library is linked with it, or, in the loadable extension, as the program that loads
 * it has it.
 */
#ifdef TL_QUERY_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif
#endif
