/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a file that were asked for lately. */
#include <stdlib.h>

#include "core/error.h"
#include "view/web/document.h"

static void drop(struct tl_web_profile *profile)
{
	if (!profile)
		return;
	tl_profile_free(profile->profile);
	tl_input_close(profile->input);
	pthread_mutex_destroy(&profile->reports);
	free(profile);
}

void tl_web_profiles_free(struct tl_web_document *document)
{
	for (size_t i = 0; i < TL_WEB_MOST_PROFILES; i++)
		drop(document->profiles[i]);
}

/* A profile with contexts has what one without them tells, and both have a table of functions. */
static bool has_detail(const struct tl_web_profile *profile, enum tl_input_detail detail)
{
	bool has_graph =
		profile->detail == TL_DETAIL_FUNCTIONS || profile->detail == TL_DETAIL_GRAPH;

	return profile->detail == detail || (detail == TL_DETAIL_TABLE && has_graph) ||
	       (detail == TL_DETAIL_GRAPH && has_graph);
}

static bool is_that(const struct tl_web_profile *profile, const struct tl_web_window *window,
		    enum tl_input_detail detail)
{
	return profile && profile->window.from == window->from &&
	       profile->window.to == window->to &&
	       profile->window.from_ticks == window->from_ticks &&
	       profile->window.to_ticks == window->to_ticks && has_detail(profile, detail);
}

/* Under the document's lock, and then the caller's until it is put back. */
static struct tl_web_profile *find(struct tl_web_document *d, const struct tl_web_window *window,
				   enum tl_input_detail detail)
{
	for (size_t i = 0; i < TL_WEB_MOST_PROFILES; i++)
		if (is_that(d->profiles[i], window, detail)) {
			d->profiles[i]->users++;
			d->profiles[i]->used = ++d->uses;
			return d->profiles[i];
		}
	return NULL;
}

/* A place that is free, or whose profile nobody has used for longest; NULL: all are in use. */
static struct tl_web_profile **place(struct tl_web_document *d)
{
	struct tl_web_profile **oldest = NULL;

	for (size_t i = 0; i < TL_WEB_MOST_PROFILES; i++) {
		struct tl_web_profile **p = &d->profiles[i];

		if (!*p)
			return p;
		if (!(*p)->users && (!oldest || (*p)->used < (*oldest)->used))
			oldest = p;
	}
	return oldest;
}

/* Keep it for others. Where all places are in use it is the caller's alone. */
static void keep(struct tl_web_document *document, struct tl_web_profile *profile)
{
	struct tl_web_profile **to;

	pthread_mutex_lock(&document->lock);
	profile->used = ++document->uses;
	to = place(document);
	if (to) {
		drop(*to);
		*to = profile;
	}
	pthread_mutex_unlock(&document->lock);
}

static struct tl_web_profile *find_locked(struct tl_web_document *document,
					  const struct tl_web_window *window,
					  enum tl_input_detail detail)
{
	struct tl_web_profile *profile;

	pthread_mutex_lock(&document->lock);
	profile = find(document, window, detail);
	pthread_mutex_unlock(&document->lock);
	return profile;
}

/*
 * The index, if a profile of a window is to be made of it: what it knows is the time of calls. Of a
 * trace whose profile has more, the index serves where a window has no seconds, and nothing else
 * can.
 */
static struct tl_call_index *index_for(struct tl_web_document *document,
				       const struct tl_web_profile *profile)
{
	struct tl_calls_info info = { 0 };
	struct tl_call_index *index;
	struct tl_error err;

	if (!profile->window.to_ticks || profile->detail == TL_DETAIL_LINES)
		return NULL;
	index = tl_web_document_index(document, &err);
	if (index)
		tl_call_index_info(index, &info, sizeof(info));
	if (profile->window.to <= 0)
		return index;
	return info.profiled && !document->file.options->formula_count ? index : NULL;
}

static int fold_from_index(struct tl_web_document *document, const struct tl_web_asker *asker,
			   struct tl_call_index *index, struct tl_web_profile *profile,
			   struct tl_error *err)
{
	struct tl_call_span span = { .size = sizeof(span),
				     .flat = profile->detail != TL_DETAIL_FUNCTIONS,
				     .table = profile->detail == TL_DETAIL_TABLE };
	struct tl_calls_info info = { 0 };
	int status;

	tl_call_index_info(index, &info, sizeof(info));
	if (__builtin_add_overflow(profile->window.from_ticks, info.origin, &span.from) ||
	    __builtin_add_overflow(profile->window.to_ticks, info.origin, &span.to))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the window has no such time");
	document->asker = asker;
	status = tl_input_window(document->input, index, &span, &profile->profile, err);
	document->asker = NULL;
	return status;
}

static int fold_file(struct tl_web_document *document, const struct tl_web_asker *asker,
		     struct tl_web_profile *profile, struct tl_error *err)
{
	int status;

	profile->asker = *asker;
	status = tl_web_document_reopen(document, &profile->asker, &profile->window,
					profile->detail, &profile->input, err);
	if (status == 0)
		status = tl_input_fold(profile->input, &profile->profile, err);
	/* Most formats keep contexts even where they need not. */
	if (status == 0 && profile->detail == TL_DETAIL_GRAPH && !tl_profile_flat(profile->profile))
		profile->detail = TL_DETAIL_FUNCTIONS;
	profile->asker.gone = NULL;
	return status;
}

static int fold(struct tl_web_document *document, const struct tl_web_asker *asker,
		struct tl_web_profile *profile, struct tl_error *err)
{
	struct tl_call_index *index = index_for(document, profile);

	if (index)
		return fold_from_index(document, asker, index, profile, err);
	return fold_file(document, asker, profile, err);
}

/* Under `folding`. */
static int make(struct tl_web_document *document, const struct tl_web_asker *asker,
		const struct tl_web_window *window, enum tl_input_detail detail,
		struct tl_web_profile **profile, struct tl_error *err)
{
	struct tl_web_profile *p = calloc(1, sizeof(*p));
	int status;

	if (!p)
		return tl_error_memory(err);
	pthread_mutex_init(&p->reports, NULL);
	p->window = *window;
	p->detail = detail;
	p->users = 1;
	status = fold(document, asker, p, err);
	if (status < 0) {
		drop(p);
		return status;
	}
	keep(document, p);
	*profile = p;
	return 0;
}

int tl_web_profile_get(struct tl_web_document *document, const struct tl_web_asker *asker,
		       const struct tl_web_window *window, enum tl_input_detail detail,
		       struct tl_web_profile **profile, struct tl_error *err)
{
	int status = 0;

	*profile = find_locked(document, window, detail);
	if (*profile)
		return 0;
	pthread_mutex_lock(&document->folding);
	*profile = find_locked(document, window, detail);
	if (!*profile)
		status = make(document, asker, window, detail, profile, err);
	pthread_mutex_unlock(&document->folding);
	return status;
}

static bool is_kept(const struct tl_web_document *d, const struct tl_web_profile *profile)
{
	for (size_t i = 0; i < TL_WEB_MOST_PROFILES; i++)
		if (d->profiles[i] == profile)
			return true;
	return false;
}

void tl_web_profile_put(struct tl_web_document *document, struct tl_web_profile *profile)
{
	bool kept;

	if (!profile)
		return;
	pthread_mutex_lock(&document->lock);
	kept = is_kept(document, profile);
	profile->users--;
	pthread_mutex_unlock(&document->lock);
	if (!kept)
		drop(profile);
}
