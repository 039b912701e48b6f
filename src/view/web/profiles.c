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

static bool is_that(const struct tl_web_profile *profile, const struct tl_web_window *window,
		    enum tl_input_detail detail)
{
	return profile && profile->window.from == window->from &&
	       profile->window.to == window->to && profile->detail == detail;
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

static int fold(struct tl_web_document *document, const struct tl_web_asker *asker,
		struct tl_web_profile *profile, struct tl_error *err)
{
	int status;

	profile->asker = *asker;
	status = tl_web_document_reopen(document, &profile->asker, &profile->window,
					profile->detail, &profile->input, err);
	if (status == 0)
		status = tl_input_fold(profile->input, &profile->profile, err);
	profile->asker.gone = NULL;
	return status;
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
