/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_YAML_YAML_LOG_H
#define TL_XRAY_YAML_YAML_LOG_H
/*
 * Records as YAML, in the form of `llvm-xray convert -f yaml`: a header, and a line for each
 * function record and event, all threads in the order of time. It has no buffers, no changes of
 * processor and no wall clock (docs/formats/xray.md, 5).
 */
#include "xray/listing/select.h"
#include "xray/map/map.h"

/*
 * Put the selected records. A record of an event has the function of the record before in its
 * thread, as llvm-xray has it. TL_UNSUPPORTED: a profile of sums.
 */
int tl_xray_yaml_write(struct tl_xray_reader *reader, struct tl_xray_select *select,
		       struct tl_output *out, struct tl_error *err);

/* 0..100, how sure it is that the first bytes are of such a file. */
int tl_xray_yaml_probe(const uint8_t *data, size_t size);

/*
 * Write the records as an FDR log of version 5, thread by thread, each in the order of the file;
 * names of functions go into `map`, which is to be finished. A record that cannot be read is left
 * out and, like a text that ends early, added to `faults`; if `strict`, it is an error.
 */
int tl_xray_yaml_read(const uint8_t *data, size_t size, bool strict, struct tl_output *log,
		      struct tl_xray_map *map, struct tl_xray_faults *faults, struct tl_error *err);

#endif
