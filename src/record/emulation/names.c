/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that run-time compilers made: what they wrote down is kept beside the recording,
 * with the number of the process, as OUTPUT.perf-PID.map and OUTPUT.jit-PID.dump
 * (docs/formats/perf-data.md section 9). In /tmp a later process may write over it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "record/emulation/emulation.h"

enum { COPY = 1 << 16 };

struct keeping {
	struct tl_record_session *session;
	const char *output;
	struct timespec begun; /* by the clock that files have their times of */
};

/* ---- one file ---- */

static bool copy_bytes(int from, struct tl_output *out)
{
	char bytes[COPY];
	ssize_t size;
	off_t at = 0;

	while ((size = tl_file_read_at(from, bytes, sizeof(bytes), at)) > 0) {
		tl_output_write(out, bytes, (size_t)size);
		at += size;
	}
	return size == 0;
}

static void tell(const struct keeping *k, const char *path, const char *why)
{
	k->session->result->incomplete = true;
	tl_record_note(k->session, "names of code made at run time are missing: %s: %s", path, why);
}

static int keep_open(const struct keeping *k, int from, const char *path, const char *copy,
		     struct tl_error *err)
{
	struct tl_error own;
	struct tl_output *out;
	int status = tl_output_open(&out, copy, &own);

	if (status == 0 && !copy_bytes(from, out)) {
		tl_output_discard(out);
		tell(k, path, "cannot be read");
		return 0;
	}
	if (status == 0)
		status = tl_output_commit(out, &own);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status < 0)
		tell(k, copy, own.text);
	return 0;
}

/* What is older, or not there, is not of this recording. */
static int keep(const struct keeping *k, const char *path, const char *copy, struct tl_error *err)
{
	struct stat about;
	int fd, status;

	if (stat(path, &about) || tl_record_is_older(&about, &k->begun))
		return 0;
	fd = tl_file_open_named(path);
	if (fd < 0) {
		if (errno == ENOMEM)
			return tl_error_memory(err);
		tell(k, path,
		     errno == EPERM ? "it is another user's, or no regular file" : strerror(errno));
		return 0;
	}
	status = keep_open(k, fd, path, copy, err);
	close(fd);
	return status;
}

/* ---- all processes ---- */

typedef int copy_fn(const struct keeping *k, const char *path, const char *copy,
		    struct tl_error *err);

static int copy_of(const struct keeping *k, const struct tl_emulation_record *record, copy_fn *fn,
		   struct tl_error *err)
{
	const uint32_t process = record->event.process;
	char path[64], copy[TL_RECORD_PATH + 64];

	switch (record->event.kind) {
	case TL_EMULATION_PROGRAM:
	case TL_EMULATION_FORK:
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", process);
		snprintf(copy, sizeof(copy), "%s.perf-%u.map", k->output, process);
		return fn(k, path, copy, err);
	case TL_EMULATION_NAMES:
		snprintf(copy, sizeof(copy), "%s.jit-%u.dump", k->output, process);
		return fn(k, record->text, copy, err);
	default:
		return 0;
	}
}

/* A copy that lies there is of an earlier recording. */
static int forget(const struct keeping *k, const char *path, const char *copy, struct tl_error *err)
{
	(void)k;
	(void)path;
	(void)err;
	unlink(copy);
	return 0;
}

/* The time of the machine when the first program began; false: it was not told. */
static bool begin_of(const struct tl_emulation *emulation, struct timespec *begun)
{
	struct timespec now, since;
	int64_t ns;

	for (size_t i = 0; i < emulation->count; i++) {
		if (emulation->records[i].event.kind != TL_EMULATION_CLOCK)
			continue;
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		clock_gettime(CLOCK_MONOTONIC, &since);
		ns = (int64_t)(since.tv_sec * INT64_C(1000000000) + since.tv_nsec -
			       (int64_t)emulation->records[i].event.address);
		ns = (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec - ns;
		*begun = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
		return true;
	}
	return false;
}

int tl_emulation_keep_names(const struct tl_emulation *emulation, struct tl_record_session *session,
			    const char *output, struct tl_error *err)
{
	struct keeping k = { .session = session, .output = output };
	int status = 0;

	for (size_t i = 0; i < emulation->count; i++)
		copy_of(&k, &emulation->records[i], forget, err);
	if (!begin_of(emulation, &k.begun))
		return 0;
	for (size_t i = 0; status == 0 && i < emulation->count; i++)
		status = copy_of(&k, &emulation->records[i], keep, err);
	return status;
}
