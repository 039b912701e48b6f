/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/gather/relatives.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_stream(const struct settings *settings)
{
	struct stat about;

	for (size_t i = 0; i < settings->paths.list.count; i++) {
		const char *path = settings->paths.items[i];

		if (!strcmp(path, "-") || (!stat(path, &about) && !S_ISREG(about.st_mode)))
			return true;
	}
	return false;
}

int relatives_open(struct relatives *relatives, const struct settings *settings,
		   struct tl_error *err)
{
	*relatives = (struct relatives){ .kin = NULL };
	return has_stream(settings) ? 0 : tl_kin_open(&relatives->kin, err);
}

int relatives_add(struct relatives *relatives, struct command_job *job, const char *path,
		  struct tl_error *err)
{
	size_t count = tl_input_kinship(job->input, NULL, 0);
	uint64_t *marks = malloc((count + 1) * sizeof(*marks));
	const char **item = marks ? list_add(&relatives->paths.list, sizeof(*item)) : NULL;
	int status = item ? 0 : TL_NO_MEMORY;

	if (item) {
		*item = path;
		tl_input_kinship(job->input, marks, count);
		status = tl_kin_add(relatives->kin, (uint32_t)(relatives->paths.list.count - 1),
				    marks, count, err);
	}
	free(marks);
	progress_end(job->progress);
	tl_input_close(job->input);
	job->input = NULL;
	return status;
}

/* A log, and the one that stands for those that it belongs to. */
struct relative {
	uint32_t chief, log;
};

static int by_chief(const void *left, const void *right)
{
	const struct relative *a = left, *b = right;

	if (a->chief != b->chief)
		return a->chief < b->chief ? -1 : 1;
	return (a->log > b->log) - (a->log < b->log);
}

/* The logs of a chief are beside each other; `group` has room for all. */
static int visit(const struct relatives *relatives, const struct relative *list, const char **group,
		 relatives_fn *fn, void *arg, struct tl_error *err)
{
	size_t count = relatives->paths.list.count, end;
	int status = 0;

	for (size_t first = 0; status == 0 && first < count; first = end) {
		for (end = first; end < count && list[end].chief == list[first].chief; end++)
			group[end - first] = relatives->paths.items[list[end].log];
		status = fn(arg, group, end - first, err);
	}
	return status;
}

int relatives_each(struct relatives *relatives, relatives_fn *fn, void *arg, struct tl_error *err)
{
	size_t count = relatives->paths.list.count;
	uint32_t *chiefs = malloc((count + 1) * sizeof(*chiefs));
	struct relative *list = malloc((count + 1) * sizeof(*list));
	const char **group = malloc((count + 1) * sizeof(*group));
	int status = chiefs && list && group ? 0 : TL_NO_MEMORY;

	if (status == 0)
		tl_kin_group(relatives->kin, chiefs, count);
	for (size_t i = 0; status == 0 && i < count; i++)
		list[i] = (struct relative){ chiefs[i], (uint32_t)i };
	if (status == 0 && count)
		qsort(list, count, sizeof(*list), by_chief);
	if (status == 0)
		status = visit(relatives, list, group, fn, arg, err);
	free(chiefs);
	free(list);
	free(group);
	return status;
}

void relatives_close(struct relatives *relatives)
{
	tl_kin_close(relatives->kin);
	list_free(&relatives->paths.list);
}
