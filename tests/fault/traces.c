/* SPDX-License-Identifier: Apache-2.0 */
#include "traces.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tracelathe/callgrind.h>
#include <tracelathe/perf_data.h>
#include <tracelathe/xray.h>

struct list {
	struct trace *traces;
	size_t count, limit;
	int (*probe)(const uint8_t *data, size_t size);
};

static uint8_t *read_file(const char *path, size_t limit, size_t *size)
{
	struct stat st;
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;

	if (!file)
		return NULL;
	if (!fstat(fileno(file), &st) && S_ISREG(st.st_mode) && (size_t)st.st_size < limit) {
		*size = (size_t)st.st_size;
		data = malloc(*size + 1);
		if (data && fread(data, 1, *size, file) != *size) {
			free(data);
			data = NULL;
		}
	}
	fclose(file);
	return data;
}

static int known(const struct list *list, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->traces[i].size == size && !memcmp(list->traces[i].data, data, size))
			return 1;
	return 0;
}

static void add_file(struct list *list, const char *folder, const char *name)
{
	char path[4096];
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	uint8_t *data = read_file(path, list->limit, &size);
	struct trace *grown = NULL;

	if (data && list->probe(data, size) > 0 && !known(list, data, size))
		grown = realloc(list->traces, (list->count + 1) * sizeof(*grown));
	if (!grown) {
		free(data);
		return;
	}
	list->traces = grown;
	list->traces[list->count++] = (struct trace){ strdup(path), data, size };
}

static void add_folder(struct list *list, const char *root, const char *below)
{
	char folder[2048];
	struct dirent **names;

	snprintf(folder, sizeof(folder), "%s/%s", root, below);
	int count = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		add_file(list, folder, names[i]->d_name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/* Folders of this tree, then of the shared corpus; each list ends with a NULL. */
static size_t load(struct list list, struct trace **traces, const char *const *own,
		   const char *const *others)
{
	const char *root = getenv("TL_SOURCE_ROOT"), *shared = getenv("TL_SHARED");
	char beside[2048];

	if (!root)
		root = ".";
	snprintf(beside, sizeof(beside), "%s/../shared", root);
	for (; *own; own++)
		add_folder(&list, root, *own);
	for (; *others; others++)
		add_folder(&list, shared ? shared : beside, *others);
	*traces = list.traces;
	return list.count;
}

size_t traces_load(struct trace **traces, size_t limit)
{
	static const char *const own[] = { "tests/golden/xray", "fuzz/corpus/xray", NULL };
	static const char *const others[] = { "corpus/xray", NULL };

	return load((struct list){ NULL, 0, limit, tl_xray_probe }, traces, own, others);
}

size_t texts_load(struct trace **texts, size_t limit)
{
	static const char *const own[] = { "tests/golden/callgrind", "fuzz/corpus/callgrind",
					   NULL };
	static const char *const others[] = { "corpus/callgrind/hand", "corpus/callgrind", NULL };

	return load((struct list){ NULL, 0, limit, tl_callgrind_probe }, texts, own, others);
}

/* Our own wrapping: nothing to recognise. */
static int any_bytes(const uint8_t *data, size_t size)
{
	(void)data;
	return size > 4;
}

size_t pairs_load(struct trace **pairs, size_t limit)
{
	static const char *const own[] = { "fuzz/corpus/xtrace", NULL };
	static const char *const others[] = { NULL };

	return load((struct list){ NULL, 0, limit, any_bytes }, pairs, own, others);
}

size_t perf_load(struct trace **traces, size_t limit)
{
	static const char *const own[] = { "tests/golden/perf", "fuzz/corpus/perf_data", NULL };
	static const char *const others[] = { "corpus/intel-pt", NULL };

	return load((struct list){ NULL, 0, limit, tl_perf_probe }, traces, own, others);
}

void traces_free(struct trace *traces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(traces[i].name);
		free(traces[i].data);
	}
	free(traces);
}
