/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/reader/labels.h"

#include <errno.h>

#include "core/error.h"

/* ---- threads ---- */

/* Keys under which writers put ids. */
static const struct {
	const char *key;
	enum { THREAD, PROCESS, NAME } meaning;
} keys[] = {
	{ "thread", THREAD },    { "tid", THREAD },       { "thread_id", THREAD },
	{ "process", PROCESS },  { "pid", PROCESS },      { "process_id", PROCESS },
	{ "thread_name", NAME }, { "thread name", NAME }, { "comm", NAME },
};

struct tl_pprof_thread tl_pprof_thread_of(const struct tl_pprof_file *p,
					  const struct tl_pprof_sample *sample)
{
	struct tl_pprof_thread thread = { TL_NOWHERE, TL_NOWHERE, 0 };

	for (size_t i = 0; i < sample->label_count; i++) {
		const struct tl_pprof_label *label = &sample->labels[i];
		const struct tl_pprof_text key = tl_pprof_string(p, label->key);

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			if (!tl_pprof_text_is(key, keys[k].key))
				continue;
			if (keys[k].meaning == NAME)
				thread.name = label->text;
			else if (!label->text && keys[k].meaning == THREAD)
				thread.thread = label->number;
			else if (!label->text)
				thread.process = label->number;
		}
	}
	return thread;
}

/* ---- filters ---- */

int tl_pprof_filter_begin(struct tl_pprof_filter *filter, const char *const *labels, size_t count,
			  struct tl_error *err)
{
	*filter = (struct tl_pprof_filter){ TL_NOWHERE, TL_NOWHERE, NULL, count };
	filter->wishes = tl_zeroed(count, sizeof(*filter->wishes));
	if (!filter->wishes)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct tl_pprof_wish *wish = &filter->wishes[i];
		const char *equals = strchr(labels[i], '=');
		char *end;

		if (!equals || equals == labels[i])
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "a label is chosen by KEY=VALUE");
		*wish = (struct tl_pprof_wish){ .key = labels[i],
						.key_size = (size_t)(equals - labels[i]),
						.value = equals + 1 };
		errno = 0;
		wish->number = (uint64_t)strtoll(wish->value, &end, 10);
		wish->is_number = *wish->value && !*end && !errno;
	}
	return 0;
}

void tl_pprof_filter_end(struct tl_pprof_filter *filter)
{
	free(filter->wishes);
	*filter = (struct tl_pprof_filter){ .count = 0 };
}

static bool meets(const struct tl_pprof_file *p, const struct tl_pprof_sample *sample,
		  const struct tl_pprof_wish *wish)
{
	for (size_t i = 0; i < sample->label_count; i++) {
		const struct tl_pprof_label *label = &sample->labels[i];
		const struct tl_pprof_text key = tl_pprof_string(p, label->key);

		if (key.size != wish->key_size || memcmp(key.text, wish->key, key.size))
			continue;
		if (label->text ? tl_pprof_text_is(tl_pprof_string(p, label->text), wish->value)
				: wish->is_number && wish->number == label->number)
			return true;
	}
	return false;
}

bool tl_pprof_is_wanted(const struct tl_pprof_file *p, const struct tl_pprof_filter *filter,
			const struct tl_pprof_sample *sample, const struct tl_pprof_thread *thread)
{
	if ((filter->thread != TL_NOWHERE && filter->thread != thread->thread) ||
	    (filter->process != TL_NOWHERE && filter->process != thread->process))
		return false;
	for (size_t i = 0; i < filter->count; i++)
		if (!meets(p, sample, &filter->wishes[i]))
			return false;
	return true;
}
