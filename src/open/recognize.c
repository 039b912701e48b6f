/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a file has: the one that the options name, else the one with the surest probe(). */
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/source.h"
#include "open/format.h"
#include "open/recognize.h"

static int by_name(const char *name, const struct tl_format **format, struct tl_error *err)
{
	for (size_t i = 0; (*format = tl_format_at(i)); i++)
		if (!strcmp((*format)->info.name, name))
			return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "not a format that this build reads");
}

/* Some writers leave an empty file beside those that they fill. */
static const char *empty_text(const char *path)
{
	const struct tl_format *format;
	const char *text = NULL;

	for (size_t i = 0; !text && (format = tl_format_at(i)); i++)
		if (format->explain_empty)
			text = format->explain_empty(path);
	return text ? text : "the file is empty";
}

static const char *unknown_text(const uint8_t *data, size_t size)
{
	const struct tl_format *format;
	const char *text = NULL;

	for (size_t i = 0; !text && (format = tl_format_at(i)); i++)
		if (format->explain_other)
			text = format->explain_other(data, size);
	if (text)
		return text;
	if (size >= 4 && !memcmp(data,
				 "\x7f"
				 "ELF",
				 4))
		return "an ELF file is not a trace; programs are given with --binary";
	return "not a trace of any format that this build reads";
}

static int by_content(struct tl_source *source, const struct tl_format **format,
		      struct tl_error *err)
{
	const struct tl_format *candidate;
	const uint8_t *data;
	size_t size;
	int status = tl_source_peek(source, &data, &size, err);
	int surest = 0;

	if (status < 0)
		return status;
	if (!size && tl_source_fault(source))
		return tl_error_at(err, tl_source_fault(source)->status, 0,
				   tl_source_fault(source)->text);
	if (!size)
		return tl_error_at(err, TL_TRUNCATED, 0, empty_text(tl_source_name(source)));
	for (size_t i = 0; (candidate = tl_format_at(i)); i++) {
		int sure = candidate->probe(data, size);

		if (sure > surest) {
			surest = sure;
			*format = candidate;
		}
	}
	if (!surest)
		return tl_error_at(err, TL_BAD_FORMAT, 0, unknown_text(data, size));
	return 0;
}

/* By the first of several files that has a byte: a writer may leave an empty one beside others. */
static int by_contents(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	int status = by_content(input->source, &input->format, err);

	for (size_t i = 1; status == TL_TRUNCATED && i < path_count; i++) {
		struct tl_source *source = NULL;

		status = tl_source_open(&source, paths[i], NULL, err);
		if (status < 0)
			*failed = paths[i];
		else
			status = by_content(source, &input->format, err);
		tl_source_close(source);
	}
	return status;
}

int tl_input_recognize(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	if (input->options.format)
		return by_name(input->options.format, &input->format, err);
	return by_contents(input, paths, path_count, failed, err);
}

/*
 * The format of a further path; NULL: unknown, empty, or a stream, which can be read only once and
 * so is not looked into.
 */
static int format_of(const char *path, const struct tl_format **format, struct tl_error *err)
{
	struct tl_source *source = NULL;
	struct stat about;
	int status;

	*format = NULL;
	if (stat(path, &about) || !S_ISREG(about.st_mode))
		return 0;
	status = tl_source_open(&source, path, NULL, err);
	if (status == 0)
		status = by_content(source, format, err);
	tl_source_close(source);
	return status == TL_TRUNCATED || status == TL_BAD_FORMAT ? 0 : status;
}

int tl_input_check_formats(const struct tl_input *input, const char *const *paths,
			   size_t path_count, const char **failed, struct tl_error *err)
{
	const struct tl_format *format;

	for (size_t i = 1; i < path_count; i++) {
		int status = format_of(paths[i], &format, err);

		if (status == 0 && format && format != input->format)
			status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					     "not of the format of the first file; merge adds up "
					     "profiles of any formats");
		if (status < 0) {
			*failed = paths[i];
			return status;
		}
	}
	return 0;
}
