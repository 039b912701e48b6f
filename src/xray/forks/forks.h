/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORKS_FORKS_H
#define TL_XRAY_FORKS_FORKS_H
/* Logs of a program that forked (docs/formats/xray.md, 9). */
#include "xray/records/reader.h"

/*
 * Relate the logs of one input to each other: inherited records are marked in their blocks
 * (`inherited`), and the thread that continues in a child gets a number of its own. Call it once,
 * before folding. @return 0; TL_BAD_USAGE if a log is a copy of another one and nothing shows that
 * the program forked: *which is its number; TL_NO_MEMORY
 */
int tl_xray_relate(struct tl_xray_reader *const *readers, size_t count, size_t *which,
		   struct tl_error *err);

/*
 * A number for the head of each buffer: logs that have none in common are not related. At most
 * `room` are written. @return how many there are
 */
size_t tl_xray_kinship(const struct tl_xray_reader *reader, uint64_t *marks, size_t room);

/* Whether all records of the thread are inherited, so that another log has them. */
bool tl_xray_is_inherited(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread);

/*
 * Rename the thread that continues in a log: to the first thread of the process that wrote the log,
 * or to child *child + 1 if that process is unknown (fork_threads.c). `several`: the buffers of the
 * log name several processes.
 */
void tl_xray_name_forked_thread(struct tl_xray_reader *reader, bool several, uint32_t *child);

#endif
