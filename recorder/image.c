/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a process in the recording, and its state, which whoever reads the log looks at. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects.h"
#include "runtime.h"

bool rt_join(char path[RT_PATH], const char *folder, const char *name)
{
	size_t length = strlen(folder), more = strlen(name);

	if (length + more + 2 > RT_PATH)
		return false;
	memcpy(path, folder, length);
	path[length] = '/';
	memcpy(path + length + 1, name, more + 1);
	return true;
}

static char *put_number(char *at, uint64_t value)
{
	char digits[20];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	while (count)
		*at++ = digits[--count];
	return at;
}

void rt_two_numbers(char text[48], uint64_t a, uint64_t b)
{
	char *at = put_number(text, a);

	*at++ = '-';
	at = put_number(at, b);
	*at = '\0';
}

int rt_open(const char *folder, const char *name, int flags)
{
	char path[RT_PATH];
	int fd;

	if (!rt_join(path, folder, name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Whatever the program's umask is: the file is opened again for each window. */
	if (fd >= 0 && (flags & O_CREAT))
		fchmod(fd, 0600);
	return fd;
}

void rt_lost(uint64_t records, int error)
{
	if (!rt.state)
		return;
	if (!rt.state->lost_errno)
		rt.state->lost_errno = (uint32_t)error;
	__atomic_add_fetch(&rt.state->lost_records, records, __ATOMIC_RELAXED);
}

static bool make_folder(void)
{
	char name[48];

	for (uint64_t number = 0;; number++) {
		rt_two_numbers(name, (uint64_t)getpid(), number);
		if (!rt_join(rt.image, rt.folder, name))
			return false;
		if (!mkdir(rt.image, 0700) && !chmod(rt.image, 0700))
			return true;
		if (errno != EEXIST) {
			rt.image[0] = '\0';
			return false;
		}
	}
}

static bool map_state(void)
{
	int fd = rt_open(rt.image, "state", O_RDWR | O_CREAT | O_EXCL);
	struct tl_recording_state *state = MAP_FAILED;

	if (fd < 0)
		return false;
	/* A file that has all its room cannot fail later, as the mapping is written. */
	if (!posix_fallocate(fd, 0, sizeof(*state)))
		state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (state == MAP_FAILED)
		return false;
	*state = (struct tl_recording_state){
		.process = (uint32_t)getpid(),
		.ids = rt.options.xray ? TL_RECORDING_SLEDS : TL_RECORDING_ADDRESSES,
		.start_ticks = rt.start_ticks,
		.start_ns = rt.start_ns,
		.hz = rt.options.hz,
		.is_tsc = rt.use_tsc,
		.ring = rt.options.ring != 0,
	};
	state->magic = TL_RECORDING_MAGIC;
	rt.state = state;
	return true;
}

bool rt_image_begin(void)
{
	int32_t process = getpid();

	if (rt.image_process == process)
		return rt.state != NULL;
	rt.image_process = process;
	rt.state = NULL; /* that of the parent stays mapped, and is not touched */
	if (!make_folder() || !map_state())
		return false;
	rt_objects_write_all();
	return true;
}
