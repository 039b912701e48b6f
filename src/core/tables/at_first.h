/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TABLES_AT_FIRST_H
#define TL_CORE_TABLES_AT_FIRST_H
/*
 * How many elements of a table or buffer there are at first. Fuzz targets (clang's
 * -fsanitize=fuzzer) begin with few: memory that is allocated for each input costs them most of
 * their time, and tables then grow, or are begun anew, for inputs of a few bytes, too.
 */
#ifdef __has_feature
#if __has_feature(coverage_sanitizer)
#define TL_AT_FIRST(usual, small) (small)
#endif
#endif

#ifndef TL_AT_FIRST
#define TL_AT_FIRST(usual, small) (usual)
#endif

#endif
