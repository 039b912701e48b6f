/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <errno.h>

static const struct {
	enum tl_status status;
	const char *name;
	/* clang-format off */
} names[] = {
	{ TL_OK, "ok" },
	{ TL_NO_MEMORY, "no memory" },
	{ TL_IO, "input/output error" },
	{ TL_BAD_FORMAT, "bad format" },
	{ TL_TRUNCATED, "truncated" },
	{ TL_BAD_RECORD, "bad record" },
	{ TL_BAD_SIZE, "bad size" },
	{ TL_UNSUPPORTED, "unsupported" },
	{ TL_BAD_USAGE, "bad usage" },
	{ TL_TOO_LARGE, "too large" },
};
/* clang-format on */

const char *tl_status_name(enum tl_status status)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].status == status)
			return names[i].name;
	return "unknown status";
}

const char *tl_version(void)
{
	return TL_VERSION;
}

int tl_error_in(struct tl_error *err, enum tl_status status, uint64_t offset, uint64_t record,
		const char *text)
{
	if (err)
		*err = (struct tl_error){
			.status = status,
			.text = text,
			.offset = offset,
			.record = record,
		};
	return (int)status;
}

int tl_error_at(struct tl_error *err, enum tl_status status, uint64_t offset, const char *text)
{
	return tl_error_in(err, status, offset, TL_NOWHERE, text);
}

int tl_error_system(struct tl_error *err, const char *text)
{
	int code = errno;

	tl_error_at(err, TL_IO, TL_NOWHERE, text);
	if (err)
		err->sys_errno = code;
	return TL_IO;
}

int tl_error_named(struct tl_error *err, const char *text, const char *refused)
{
	return errno == EPERM ? tl_error_at(err, TL_IO, TL_NOWHERE, refused)
			      : tl_error_system(err, text);
}

int tl_error_memory(struct tl_error *err)
{
	return tl_error_at(err, TL_NO_MEMORY, TL_NOWHERE, "out of memory");
}

int tl_error_format(struct tl_error *err, const char *format, int status)
{
	if (err && status < 0)
		err->format = format;
	return status;
}
