/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader that a hostile file has taken over: the file says what it tries. A line
 * "intruder: WORD ARGUMENT"; what came of it is the text of `info`. meson.build adds the row to
 * formats.def, so that the command runs it where it runs every reader.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "core/output.h"
#include "open/format.h"

enum { LONGEST = 512, HTTP = 80 };

struct attempt {
	const char *word;
	int (*run)(const char *argument);
};

static int try_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int try_write(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int try_unlink(const char *path)
{
	return unlink(path);
}

static int try_list(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int try_exec(const char *path)
{
	return execl(path, path, (char *)NULL);
}

static int try_connect(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(HTTP) };
	int opened = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &to.sin_addr);
	return opened < 0 ? -1 : connect(opened, (struct sockaddr *)&to, sizeof(to));
}

static int try_local_socket(const char *none)
{
	(void)none;
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int try_ptrace(const char *none)
{
	(void)none;
	return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static int try_code(const char *none)
{
	void *made = mmap(NULL, 1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	(void)none;
	return made == MAP_FAILED ? -1 : 0;
}

static int try_kernel(const char *none)
{
	(void)none;
	return (int)syscall(SYS_keyctl, 0, 0, 0);
}

static const struct attempt attempts[] = {
	{ "read", try_read },
	{ "write", try_write },
	{ "unlink", try_unlink },
	{ "list", try_list },
	{ "exec", try_exec },
	{ "connect", try_connect },
	{ "local-socket", try_local_socket },
	{ "ptrace", try_ptrace },
	{ "code", try_code },
	{ "keyctl", try_kernel },
};

/* ---- the format ---- */

static const char head[] = "intruder: ";

static int probe_intruder(const uint8_t *data, size_t size)
{
	return size > sizeof(head) && !memcmp(data, head, sizeof(head) - 1) ? 100 : 0;
}

static int open_intruder(struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err)
{
	(void)paths;
	(void)path_count;
	(void)failed;
	input->handle = calloc(1, LONGEST);
	return input->handle ? 0 : tl_error_memory(err);
}

static void close_intruder(struct tl_input *input)
{
	free(input->handle);
}

static int describe_intruder(struct tl_input *input, bool json, struct tl_output *out,
			     struct tl_error *err)
{
	char *text = input->handle, *word, *argument;
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	(void)json;
	if (status < 0)
		return status;
	memcpy(text, data, size < LONGEST ? size : LONGEST - 1);
	word = strtok(text + sizeof(head) - 1, " \n");
	argument = strtok(NULL, "\n");
	for (size_t i = 0; word && i < sizeof(attempts) / sizeof(*attempts); i++)
		if (!strcmp(word, attempts[i].word))
			tl_put_format(out, "%s\n",
				      attempts[i].run(argument) < 0 ? strerror(errno) : "done");
	return 0;
}

const struct tl_format tl_intruder_format = {
	.info = { .name = "intruder", .help = "an attack", .record_word = "line" },
	.probe = probe_intruder,
	.open = open_intruder,
	.close = close_intruder,
	.describe = describe_intruder,
};
