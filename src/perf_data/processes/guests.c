/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/guests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

/* ---- machines ---- */

const struct tl_perf_guest *tl_perf_guest_find(const struct tl_perf_system *sys, uint32_t pid)
{
	for (size_t i = 0; i < sys->guests.count; i++)
		if (sys->processes.list[sys->guests.list[i].process].pid == pid)
			return &sys->guests.list[i];
	return NULL;
}

uint32_t tl_perf_guest_machine(const struct tl_perf_system *sys, uint32_t process)
{
	const uint32_t machine = sys->processes.list[process].machine;

	return machine == TL_NONE ? process : machine;
}

static struct tl_perf_guest *find_number(const struct tl_perf_system *sys, uint32_t guest)
{
	const uint32_t machine = tl_perf_guest_machine(sys, guest);
	size_t i = 0;

	while (sys->guests.list[i].process != machine)
		i++;
	return &sys->guests.list[i];
}

const char *tl_perf_guest_label(const struct tl_perf_system *sys, uint32_t guest)
{
	return find_number(sys, guest)->label;
}

const char *tl_perf_guest_root(const struct tl_perf_system *sys, uint32_t guest)
{
	return find_number(sys, guest)->root;
}

const char *tl_perf_guest_why(const struct tl_perf_system *sys)
{
	return sys->search.guest_root
		       ? "--guest-root has no list of the names of its kernel (proc/kallsyms), "
			 "which says where that was"
		       : "it is code of a virtual machine, and no --guest-root says where its "
			 "files are";
}

static bool is_directory(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

/* DIR/PID if there is such a directory, as `perf script --guestmount` has it, else DIR. */
static bool find_root(struct tl_perf_system *sys, uint32_t pid, const char **root)
{
	char *own;

	*root = sys->search.no_files ? NULL : sys->search.guest_root;
	if (!*root || !pid)
		return true;
	if (asprintf(&own, "%s/%" PRIu32, *root, pid) < 0)
		return false;
	if (is_directory(own))
		*root = tl_names_text(&sys->names, own);
	free(own);
	return *root;
}

static bool begin_guest(struct tl_perf_system *sys, uint32_t pid, struct tl_perf_guest *made)
{
	char label[32];

	*made = (struct tl_perf_guest){ .root = NULL };

	snprintf(label, sizeof(label), pid ? "[guest:%" PRIu32 "]" : "[guest]", pid);
	made->label = tl_names_text(&sys->names, label);
	made->process = (uint32_t)sys->processes.count;
	return made->label && find_root(sys, pid, &made->root) &&
	       tl_grow(&sys->guests.list, &sys->guests.capacity, sys->guests.count + 1,
		       sizeof(*made)) &&
	       tl_grow(&sys->processes.list, &sys->processes.capacity, sys->processes.count + 1,
		       sizeof(*sys->processes.list));
}

uint32_t tl_perf_guest_add(struct tl_perf_system *sys, uint32_t pid)
{
	const struct tl_perf_guest *known = tl_perf_guest_find(sys, pid);
	struct tl_perf_guest made;

	if (known)
		return known->process;
	if (!begin_guest(sys, pid, &made))
		return TL_NONE;
	sys->guests.list[sys->guests.count++] = made;
	/* Not by pid: that is the process of the host. */
	sys->processes.list[sys->processes.count++] =
		(struct tl_perf_process){ .pid = pid, .guest = true, .machine = TL_NONE };
	return made.process;
}

uint64_t tl_perf_guest_id_in(const struct tl_perf_system *sys, uint32_t process, uint32_t id)
{
	const uint64_t number = (uint64_t)(find_number(sys, process) - sys->guests.list);

	return (number + 2) << 32 | id;
}

/* Beyond this many of one machine its records are damaged or hostile: what is more shares one. */
enum { PROCESSORS_MAX = 4096 };

struct tl_perf_guest_processor *tl_perf_guest_processor_add(struct tl_perf_guest *guest,
							    const struct tl_perf_guest_id *id)
{
	for (size_t i = 0; i < guest->processor_count; i++)
		if (guest->processors[i].number == id->processor || i == PROCESSORS_MAX)
			return &guest->processors[i];
	if (!tl_grow(&guest->processors, &guest->processor_capacity, guest->processor_count + 1,
		     sizeof(*guest->processors)))
		return NULL;
	guest->processors[guest->processor_count] = (struct tl_perf_guest_processor){
		.number = id->processor,
		.thread = id->thread,
	};
	return &guest->processors[guest->processor_count++];
}

bool tl_perf_machine_of(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			uint32_t *machine)
{
	const struct tl_perf_guest_id *id = NULL;

	*machine = TL_NONE;
	if (sys->reader && tl_perf_is_of_guest(rec))
		id = tl_perf_guest_ids_find(sys->reader, rec->id.id);
	if (!id)
		return true;
	*machine = tl_perf_guest_add(sys, id->machine);
	return *machine != TL_NONE && tl_perf_guest_processor_add(find_number(sys, *machine), id);
}

struct tl_perf_guest *tl_perf_guest_of(struct tl_perf_system *sys, uint32_t machine)
{
	return find_number(sys, machine);
}

void tl_perf_guests_free(struct tl_perf_system *sys)
{
	for (size_t i = 0; i < sys->guests.count; i++) {
		struct tl_perf_guest *guest = &sys->guests.list[i];

		for (size_t k = 0; k < guest->processor_count; k++)
			free(guest->processors[k].list);
		free(guest->processors);
		free(guest->pokes.list);
		tl_arena_free(&guest->pokes.bytes);
	}
	free(sys->guests.list);
}

/* ---- what its files tell ---- */

int tl_perf_guest_open(const char *root, const char *name, FILE **file)
{
	char *path;
	int fd;

	*file = NULL;
	if (asprintf(&path, "%s/%s", root, name) < 0)
		return TL_NO_MEMORY;
	fd = tl_file_open_named(path);
	free(path);
	if (fd < 0)
		return 0;
	*file = fdopen(fd, "r");
	if (!*file)
		close(fd);
	return *file ? 0 : TL_NO_MEMORY;
}

int tl_perf_guest_release(const struct tl_perf_system *sys, uint32_t guest,
			  char release[TL_PERF_RELEASE])
{
	const char *root = tl_perf_guest_root(sys, guest);
	FILE *file = NULL;
	int status = root ? tl_perf_guest_open(root, "proc/version", &file) : 0;

	_Static_assert(TL_PERF_RELEASE == 256, "the width below");
	/* "Linux version RELEASE ..." */
	if (!file || fscanf(file, "Linux version %255s", release) != 1)
		*release = '\0';
	if (file)
		fclose(file);
	return status;
}
