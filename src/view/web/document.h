/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_DOCUMENT_H
#define TL_VIEW_WEB_DOCUMENT_H
/* A file that is looked at: the index of its calls, and profiles of all or of windows of it. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "view/files/stamps.h"
#include "view/points/points.h"
#include "view/web/view.h"

/* Whether whoever asked has gone; `gone` NULL: it waits. */
struct tl_web_asker {
	bool (*gone)(void *arg);
	void *arg;
};

/*
 * A window of time: in seconds, as struct tl_input_filter has it, and in ticks from the origin on,
 * for which an index is needed. All 0: everything.
 */
struct tl_web_window {
	double from, to;
	uint64_t from_ticks, to_ticks;
};

/* A folded profile. `input` is the one it was folded from, for its code and its damage. */
struct tl_web_profile {
	struct tl_web_window window;
	enum tl_input_detail detail;
	struct tl_profile *profile;
	struct tl_input *input;    /* NULL: it was made from the index */
	struct tl_web_asker asker; /* while it is folded */
	pthread_mutex_t reports;   /* for what reads code, or chooses functions */
	unsigned users;
	uint64_t used; /* when last */
};

enum { TL_WEB_MOST_PROFILES = 8 };

enum tl_web_index_state { TL_WEB_INDEX_BUSY, TL_WEB_INDEX_READY, TL_WEB_INDEX_NONE };

/* The files of a document, as it was opened. */
struct tl_web_files {
	struct tl_view_stamps stamps;
	uint64_t bytes;
	time_t written; /* the first file, for the last time; 0: it is no regular file */
};

struct tl_web_document {
	struct tl_web_file file;
	struct tl_web_files opened;
	struct tl_input *input; /* the index's own */
	_Atomic bool closing;
	_Atomic uint64_t done, total; /* bytes of the file that are indexed */
	pthread_t indexer, sampler;
	bool indexing, sampling;          /* the thread is there */
	struct tl_input *sample_input;    /* the sampler's own */
	pthread_mutex_t folding;          /* one profile at a time: others may want the same */
	const struct tl_web_asker *asker; /* under `folding`: whom the index's input works for */
	pthread_mutex_t noting;           /* for `points` */
	struct tl_view_points *points;    /* NULL: nobody has asked for them yet */
	pthread_mutex_t lock;
	/* under `lock` from here on */
	enum tl_web_index_state index_state;
	struct tl_call_index *index;
	struct tl_error index_error; /* TL_WEB_INDEX_NONE: why */
	/* some of the calls, for the first picture; NULL: not made, or not yet */
	struct tl_call_index *sample;
	struct tl_web_profile *profiles[TL_WEB_MOST_PROFILES];
	uint64_t uses;
};

struct tl_web_view {
	struct tl_web_document documents[TL_WEB_MOST_FILES];
	size_t count;
	const char *const *source_dirs;
	size_t source_dir_count;
};

/* Ready when zero-filled. 0 or negative; `file` and what it points to must live on. */
int tl_web_document_open(struct tl_web_document *document, const struct tl_web_file *file,
			 const char **failed, struct tl_error *err);
void tl_web_document_close(struct tl_web_document *document);

/*
 * Open the file once more, so that something may be read from it while others read, too. Reading
 * ends with TL_IO when the asker goes, who must be there until then. Close it by tl_input_close().
 */
int tl_web_document_reopen(struct tl_web_document *document, const struct tl_web_asker *asker,
			   const struct tl_web_window *window, enum tl_input_detail detail,
			   struct tl_input **input, struct tl_error *err);

/*
 * The events and counters of a file, gathered when they are asked for the first time; they live as
 * long as the document. 0 or negative.
 */
int tl_web_document_points(struct tl_web_document *document, const struct tl_web_asker *asker,
			   const struct tl_view_points **points, struct tl_error *err);

/* Instructions of a file. What is 0 is not asked for. */
struct tl_web_part {
	uint64_t thread; /* TL_NOWHERE: any */
	double from, to; /* seconds */
	struct tl_number_range ordinals;
};

/* The same, for a listing of some of its instructions. */
int tl_web_document_part(struct tl_web_document *document, const struct tl_web_asker *asker,
			 const struct tl_web_part *part, struct tl_input **input,
			 struct tl_error *err);

/* The index, NULL with *err: it is not there yet, or will not be. */
struct tl_call_index *tl_web_document_index(struct tl_web_document *document, struct tl_error *err);
/* The same for a picture: while the index is being made, *sampled and a sample of the calls. */
struct tl_call_index *tl_web_document_picture(struct tl_web_document *document, bool *sampled,
					      struct tl_error *err);

/* ---- profiles.c ---- */

/* A profile of a window, made now or kept from before; to be put back. 0 or negative. */
int tl_web_profile_get(struct tl_web_document *document, const struct tl_web_asker *asker,
		       const struct tl_web_window *window, enum tl_input_detail detail,
		       struct tl_web_profile **profile, struct tl_error *err);
void tl_web_profile_put(struct tl_web_document *document, struct tl_web_profile *profile);
void tl_web_profiles_free(struct tl_web_document *document);

#endif
