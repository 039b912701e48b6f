/* SPDX-License-Identifier: Apache-2.0 */
/* The file `info`, by which a recording is known, and then all others of its directory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/source.h"
#include "uftrace/uftrace.h"

static const char magic[] = "Ftrace!";

enum { HEADER = 40, AT_VERSION = 8, AT_ENDIAN = 14, AT_CLASS = 15, AT_FEATURES = 16 };
enum { BIG_ENDIAN_FILE = 2, CLASS_64 = 2, OLDEST = 3, NEWEST = 4 };
enum { FEATURE_KERNEL = 1 << 2, FEATURE_RELATIVE = 1 << 5 };

int tl_uftrace_probe(const uint8_t *data, size_t size)
{
	return size >= sizeof(magic) && !memcmp(data, magic, sizeof(magic)) ? 95 : 0;
}

static int read_header(struct tl_uftrace_recording *u, const uint8_t *data, size_t size,
		       struct tl_error *err)
{
	bool swap;
	uint32_t version;

	if (!tl_uftrace_probe(data, size))
		return tl_error_at(err, TL_BAD_FORMAT, 0, "no `info` of uftrace");
	if (size < HEADER)
		return tl_error_at(err, TL_TRUNCATED, size, "the header of `info` is cut short");
	u->is_big = data[AT_ENDIAN] == BIG_ENDIAN_FILE;
	swap = u->is_big != TL_HOST_BIG_ENDIAN;
	version = tl_get32s(data + AT_VERSION, swap);
	if (version < OLDEST || version > NEWEST)
		return tl_error_at(err, TL_UNSUPPORTED, AT_VERSION,
				   "versions 3 and 4 of uftrace's data are read");
	if (data[AT_CLASS] != CLASS_64)
		return tl_error_at(err, TL_UNSUPPORTED, AT_CLASS,
				   "recordings of 32-bit programs are not read");
	u->features = tl_get64s(data + AT_FEATURES, swap);
	u->is_relative = u->features & FEATURE_RELATIVE;
	return 0;
}

/* Behind the header `info` has lines; "elapsed_time:SECONDS.NANOSECONDS sec" is one of them. */
static void read_elapsed(struct tl_uftrace_recording *u, const uint8_t *data, size_t size)
{
	struct tl_cursor text = tl_cursor_over(data + HEADER, size - HEADER);
	struct tl_uftrace_line line;

	while (tl_uftrace_next_line(&text, &line))
		if (tl_uftrace_take(&line, "elapsed_time:") &&
		    !tl_uftrace_take_time(&line, &u->elapsed_ns))
			u->elapsed_ns = 0;
}

/* Its two clocks are read one after the other: a second more is allowed. */
static void find_end(struct tl_uftrace_recording *u)
{
	const uint64_t second = 1000000000;
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < u->session_count; i++)
		first = tl_min(u->sessions[i].time_ns, first);
	u->until_ns = INT64_MAX;
	if (u->elapsed_ns && u->elapsed_ns < INT64_MAX / 2 && first < INT64_MAX / 4)
		u->until_ns = first + u->elapsed_ns + second;
}

static int tell(struct tl_uftrace_recording *u, struct tl_error *err)
{
	struct tl_foreign_file *file = u->file;
	struct tl_foreign_faults *faults = &file->faults;
	int status = 0;

	tl_foreign_tell(file, "entries", u->entries);
	tl_foreign_tell(file, "exits", u->exits);
	tl_foreign_tell(file, "events", u->events);
	tl_foreign_tell(file, "inherited_calls", u->inherited);
	file->records = u->records;
	if (u->orphans)
		status = tl_foreign_say(faults, TL_BAD_RECORD, "nesting", err,
					"%" PRIu64 " ends of calls have no begin: left out",
					u->orphans);
	if (status == 0 && u->nameless)
		status = tl_foreign_say(faults, TL_OK, "symbols", err,
					"%" PRIu64 " addresses of functions have no symbol",
					u->nameless);
	if (status == 0 && u->features & FEATURE_KERNEL)
		status = tl_foreign_say(faults, TL_OK, "kernel", err,
					"functions of the kernel (kernel-cpuN.dat) are left out");
	return status;
}

int tl_uftrace_read(struct tl_foreign_file *file, struct tl_source *info,
		    const struct tl_uftrace_folder *folder, struct tl_error *err)
{
	struct tl_uftrace_recording u = { .file = file, .folder = folder };
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(info, &data, &size, err);

	file->frequency = 1000000000;
	if (status == 0)
		status = read_header(&u, data, size, err);
	if (status == 0) {
		read_elapsed(&u, data, size);
		status = tl_uftrace_read_tasks(&u, err);
		find_end(&u);
	}
	for (size_t i = 0; status == 0 && i < u.task_count; i++)
		status = tl_uftrace_read_records(&u, &u.tasks[i], err);
	if (status == 0)
		status = tell(&u, err);
	tl_uftrace_free(&u);
	return status;
}

/* ---- the directory on a disk ---- */

static int open_below(void *arg, const char *name, struct tl_source **source, struct tl_error *err)
{
	const char *info = tl_source_name(arg), *slash = strrchr(info, '/');
	const int length = slash ? (int)(slash + 1 - info) : 0;
	char *path;
	int status;

	if (asprintf(&path, "%.*s%s", length, info, name) < 0)
		return tl_error_memory(err);
	status = tl_source_open(source, path, NULL, err);
	free(path);
	return status;
}

static int read_uftrace(struct tl_foreign_file *file, struct tl_source *source,
			struct tl_error *err)
{
	const struct tl_uftrace_folder folder = { open_below, source };

	return tl_uftrace_read(file, source, &folder, err);
}

const struct tl_foreign_reader tl_uftrace_reader = {
	.format = "uftrace",
	.read = read_uftrace,
};
