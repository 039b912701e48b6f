/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

bool note_is_for_master(const struct note *note)
{
	return note->kind >= NOTE_FOLDED && note->kind < NOTE_ALIVE;
}

/* Room for one descriptor beside a packet. */
union beside {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

bool note_send(int socket, const struct note *note, int bytes)
{
	struct iovec data = { .iov_base = (void *)note, .iov_len = sizeof(*note) };
	struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1 };
	union beside beside = { .room = { 0 } };
	ssize_t sent;

	if (bytes >= 0) {
		packet.msg_control = &beside;
		packet.msg_controllen = sizeof(beside);
		*CMSG_FIRSTHDR(&packet) = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
							    .cmsg_level = SOL_SOCKET,
							    .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), &bytes, sizeof(bytes));
	}
	do
		sent = sendmsg(socket, &packet, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == sizeof(*note);
}

int note_receive(int socket, struct note *note, int *bytes)
{
	struct iovec data = { .iov_base = note, .iov_len = sizeof(*note) };
	union beside beside = { .room = { 0 } };
	struct msghdr packet = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &beside,
				 .msg_controllen = sizeof(beside) };
	const struct cmsghdr *head;
	ssize_t got;

	*bytes = -1;
	do
		got = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*note))
		return 0;
	head = CMSG_FIRSTHDR(&packet);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(bytes, CMSG_DATA(head), sizeof(*bytes));
	return 1;
}

int bytes_make(const void *data, size_t size)
{
	int fd = memfd_create("tracelathe", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		ssize_t wrote = pwrite(fd, (const char *)data + done, size - done, (off_t)done);

		if (wrote <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)wrote;
	}
	return fd;
}

void *bytes_read(int fd, size_t size)
{
	char *data = malloc(size + 1);
	size_t done = 0;

	while (data && done < size) {
		ssize_t got = pread(fd, data + done, size - done, (off_t)done);

		if (got <= 0) {
			free(data);
			return NULL;
		}
		done += (size_t)got;
	}
	if (data)
		data[size] = '\0';
	return data;
}
