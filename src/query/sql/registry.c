/* SPDX-License-Identifier: Apache-2.0 */
#include "query/sql/registry.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"

int tl_query_registry_add(struct tl_query_registry *registry, const char *key,
			  struct tl_query_trace *trace, struct tl_error *err)
{
	char *copy = strdup(key);

	if (!copy || !tl_grow(&registry->list, &registry->capacity, registry->count + 1,
			      sizeof(*registry->list))) {
		free(copy);
		tl_query_trace_leave(trace);
		return tl_error_memory(err);
	}
	registry->list[registry->count++] = (struct tl_query_entry){ copy, trace };
	return 0;
}

struct tl_query_trace *tl_query_registry_find(const struct tl_query_registry *registry,
					      const char *key)
{
	for (size_t i = 0; i < registry->count; i++)
		if (!strcmp(registry->list[i].key, key))
			return registry->list[i].trace;
	return NULL;
}

void tl_query_registry_leave(struct tl_query_registry *registry, struct tl_query_trace *trace)
{
	bool last = trace->references == 2 && registry->resolve;

	tl_query_trace_leave(trace);
	for (size_t i = 0; last && i < registry->count; i++) {
		struct tl_query_entry *entry = &registry->list[i];

		if (entry->trace != trace)
			continue;
		free(entry->key);
		*entry = registry->list[--registry->count];
		tl_query_trace_leave(trace);
		return;
	}
}

void tl_query_registry_close(struct tl_query_registry *registry)
{
	for (size_t i = 0; i < registry->count; i++) {
		free(registry->list[i].key);
		tl_query_trace_leave(registry->list[i].trace);
	}
	free(registry->list);
	*registry = (struct tl_query_registry){ .list = NULL };
}
