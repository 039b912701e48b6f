/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORKS_FORKS_H
#define TL_XRAY_FORKS_FORKS_H
/* Logs of a program that forked (docs/formats/xray.md, 9). */
#include "xray/records/reader.h"

/*
 * Relate the logs of one input to each other: what a process inherited from the one it was forked
 * from is marked in its blocks (`inherited`), and the thread that went on in it is told from the
 * one it was. Once, before folding.
 *
 * @return 0; TL_BAD_USAGE when a log is a copy of another and nothing says that the program forked:
 *         *which is then its number; TL_NO_MEMORY
 */
int tl_xray_relate(struct tl_xray_reader *const *readers, size_t count, size_t *which,
		   struct tl_error *err);

/* All records of the thread are inherited: another log tells them. */
bool tl_xray_is_inherited(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread);

/*
 * The thread that goes on in a log is named by the process that wrote the log, or is the next child
 * where that is not known (fork_threads.c). `several`: the buffers of the log name several
 * processes.
 */
void tl_xray_name_forked_thread(struct tl_xray_reader *reader, bool several, uint32_t *child);

/* One block by itself; damage is not noted. */
void tl_xray_fork_open_block(struct tl_xray_stream *stream, const struct tl_xray_reader *reader,
			     uint32_t block, struct tl_xray_faults *unnoted);
/* Its next record but for its extents. 1, 0 at the end or at damage, negative without memory. */
int tl_xray_fork_next_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			     struct tl_error *err);

#endif
