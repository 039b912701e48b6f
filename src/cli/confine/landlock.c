/* SPDX-License-Identifier: Apache-2.0 */
/* Files: what Landlock (Linux 5.13 and later, `man 7 landlock`) lets this process open. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/confine/confine.h"

/* Rights that the headers of older systems do not have, by the version of the interface. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

enum {
	VERSION_REFER = 2,
	VERSION_TRUNCATE = 3,
	VERSION_NETWORK = 4,
	VERSION_IOCTL = 5,
	VERSION_SCOPE = 6,
};

static const uint64_t rights_first = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
static const uint64_t rights_read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t rights_write = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				     LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REFER |
				     LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV;
/* The rights that a rule for something else than a folder can have. */
static const uint64_t rights_file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				    LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV;

/* struct landlock_ruleset_attr as it is today; a kernel takes as much of it as it knows. */
struct ruleset {
	uint64_t files, network, scopes;
};

enum {
	NETWORK_CONNECT = 1 << 1,
	SCOPE_ABSTRACT_SOCKETS = 1 << 0,
	SCOPE_SIGNALS = 1 << 1,
};

static uint64_t known_rights(long version)
{
	uint64_t rights = rights_first;

	if (version >= VERSION_REFER)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= VERSION_TRUNCATE)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (version >= VERSION_IOCTL)
		rights |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	return rights;
}

static int open_place(const char *path)
{
	int fd;

	do
		fd = open(path, O_PATH | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static void allow(int rules, const struct confine_place *place, uint64_t known)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access =
			(place->access == CONFINE_WRITE ? rights_write : rights_read) & known,
		.parent_fd = open_place(place->path),
	};
	struct stat st;

	/* What is not there needs no rule. */
	if (rule.parent_fd < 0)
		return;
	if (!fstat(rule.parent_fd, &st)) {
		if (!S_ISDIR(st.st_mode))
			rule.allowed_access &= rights_file;
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	}
	close(rule.parent_fd);
}

static int open_rules(long version)
{
	const struct ruleset ruleset = {
		.files = known_rights(version),
		.network = NETWORK_CONNECT,
		.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
	};
	size_t size = sizeof(ruleset.files);

	if (version >= VERSION_NETWORK)
		size += sizeof(ruleset.network);
	if (version >= VERSION_SCOPE)
		size += sizeof(ruleset.scopes);
	return (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
}

bool confine_files(const struct confine_places *places)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	bool confined;
	int rules;

	if (version < 1)
		return false;
	rules = open_rules(version);
	if (rules < 0)
		return false;
	for (size_t i = 0; i < places->found.list.count; i++)
		allow(rules, &places->found.items[i], known_rights(version));
	confined = !syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return confined;
}
