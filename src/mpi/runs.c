/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "mpi/note.h"

static bool copy_bytes(int from, uint64_t at, int to, uint64_t to_at, uint64_t size)
{
	static char room[1 << 16];

	while (size) {
		size_t part = size < sizeof(room) ? (size_t)size : sizeof(room);
		ssize_t got = pread(from, room, part, (off_t)at);

		if (got <= 0 || pwrite(to, room, (size_t)got, (off_t)to_at) != got)
			return false;
		at += (uint64_t)got;
		to_at += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return true;
}

bool fleet_keep_runs(struct fleet_runs *runs, size_t count)
{
	runs->places = calloc(count + 1, sizeof(*runs->places));
	return runs->places;
}

const char *fleet_keep(struct fleet_runs *runs, const struct settings *settings, int bytes,
		       uint64_t size, struct run_place *place)
{
	if (runs->file < 0)
		runs->file = make_scratch_file(settings);
	if (runs->file < 0)
		return "tracelathe-mpi: cannot make a temporary file\n";
	if (!copy_bytes(bytes, 0, runs->file, runs->end, size))
		return "tracelathe-mpi: a temporary file cannot be written\n";
	*place = (struct run_place){ runs->end, size };
	runs->end += size;
	return NULL;
}

int fleet_copy(const struct fleet_runs *runs, const struct settings *settings,
	       const struct run_place *places, size_t count, uint64_t *size)
{
	uint64_t whole = 0;
	int copy;

	for (size_t i = 0; i < count; i++)
		whole += places[i].size;
	copy = whole > NOTE_IN_MEMORY ? make_scratch_file(settings) : bytes_make(NULL, 0);
	*size = 0;
	for (size_t i = 0; copy >= 0 && i < count; i++) {
		if (!copy_bytes(runs->file, places[i].offset, copy, *size, places[i].size)) {
			close(copy);
			return -1;
		}
		*size += places[i].size;
	}
	return copy;
}

int fleet_run(const struct fleet_runs *runs, size_t number, const struct settings *settings)
{
	uint64_t size;

	return fleet_copy(runs, settings, &runs->places[number], 1, &size);
}
