/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/function_filter.h"

#include <stdlib.h>

#include "core/error.h"

/* Each function is matched once. */
enum { UNKNOWN, REJECTED, ACCEPTED };

static int compile(regex_t *regex, const char *pattern, bool *given, struct tl_error *err)
{
	if (!pattern)
		return 0;
	if (regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	*given = true;
	return 0;
}

int tl_pt_function_filter_open(struct tl_pt_function_filter *filter, const char *function,
			       const char *object, struct tl_error *err)
{
	int status;

	*filter = (struct tl_pt_function_filter){ .verdicts = NULL };
	status = compile(&filter->function, function, &filter->by_function, err);
	if (status < 0)
		return status;
	return compile(&filter->object, object, &filter->by_object, err);
}

void tl_pt_function_filter_close(struct tl_pt_function_filter *filter)
{
	if (filter->by_function)
		regfree(&filter->function);
	if (filter->by_object)
		regfree(&filter->object);
	free(filter->verdicts);
}

static bool matches(const struct tl_pt_function_filter *filter, const struct tl_pt_function *f)
{
	if (filter->by_function && regexec(&filter->function, f->name, 0, NULL, 0))
		return false;
	return !filter->by_object || !regexec(&filter->object, f->object, 0, NULL, 0);
}

bool tl_pt_function_filter_accepts(struct tl_pt_function_filter *filter,
				   const struct tl_pt_functions *functions, uint32_t function)
{
	size_t had = filter->capacity;

	if (!tl_grow(&filter->verdicts, &filter->capacity, function + (size_t)1, 1)) {
		filter->no_memory = true;
		return false;
	}
	for (; had < filter->capacity; had++)
		filter->verdicts[had] = UNKNOWN;
	if (filter->verdicts[function] == UNKNOWN)
		filter->verdicts[function] =
			matches(filter, &functions->list[function]) ? ACCEPTED : REJECTED;
	return filter->verdicts[function] == ACCEPTED;
}
