/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_UFTRACE_UFTRACE_H
#define TL_UFTRACE_UFTRACE_H
/* Directories that `uftrace record` writes: calls over time (docs/formats/uftrace.md). */
#include "core/cursor.h"
#include "foreign/foreign.h"

extern const struct tl_foreign_reader tl_uftrace_reader;

/* How sure it is that a file `info` begins so, 0 .. 100. */
int tl_uftrace_probe(const uint8_t *data, size_t size);

/* ---- the files of a directory ---- */

/* How a file of the directory is opened by its name: 0, or negative if there is none. */
struct tl_uftrace_folder {
	int (*open)(void *arg, const char *name, struct tl_source **source, struct tl_error *err);
	void *arg;
};

/* A recording whose file `info` is this one, into `file`. 0 or negative. */
int tl_uftrace_read(struct tl_foreign_file *file, struct tl_source *info,
		    const struct tl_uftrace_folder *folder, struct tl_error *err);

/* ---- what its files say (tasks.c, names.c) ---- */

/* A program that a process executed, and what is mapped in it. */
struct tl_uftrace_session {
	uint64_t time_ns;
	uint32_t process;
	uint32_t program; /* name */
	char id[24];
	struct tl_uftrace_module *modules;
	size_t count, capacity;
	bool is_loaded;
};

/* A mapped file with symbols. */
struct tl_uftrace_module {
	uint64_t start, end;
	uint32_t path; /* name */
	uint32_t build_id;
	struct tl_uftrace_symbol *symbols; /* by address */
	size_t count, capacity;
	bool is_loaded;
};

struct tl_uftrace_symbol {
	uint64_t address; /* from the begin of the module */
	uint32_t name;    /* 0: here ends what has names */
	uint32_t file, line;
};

struct tl_uftrace_task {
	uint32_t thread, process;
	uint32_t parent; /* process that made it; 0: unknown */
	bool is_forked;
};

/* The frame of an address in a session. */
struct tl_uftrace_place {
	size_t session;
	uint64_t address;
	uint32_t frame;
};

struct tl_uftrace_recording {
	struct tl_foreign_file *file;
	const struct tl_uftrace_folder *folder;
	bool is_big;      /* byte order */
	bool is_relative; /* addresses of symbols count from the begin of their module */
	uint64_t features;
	uint64_t elapsed_ns; /* how long the recording took; 0: unknown */
	uint64_t until_ns;   /* no record is later */
	struct tl_uftrace_session *sessions;
	size_t session_count, session_capacity;
	struct tl_uftrace_task *tasks;
	size_t task_count, task_capacity;
	struct tl_uftrace_place *places;
	size_t place_count, place_capacity;
	struct tl_index by_address;
	uint64_t records, entries, exits, events, inherited;
	uint64_t orphans, nameless;
};

/* A file of the directory as a whole. 0; 1: it is not there; negative. */
int tl_uftrace_open(const struct tl_uftrace_recording *u, const char *name,
		    struct tl_source **source, const uint8_t **data, size_t *size,
		    struct tl_error *err);

/* A line of a text, without its end. */
struct tl_uftrace_line {
	const char *text, *end;
};

/* The next line. False: there is none. */
bool tl_uftrace_next_line(struct tl_cursor *text, struct tl_uftrace_line *line);
/* Whether a line begins with a word, which is taken from it then. */
bool tl_uftrace_take(struct tl_uftrace_line *line, const char *word);
/* A number at the begin of a line, which is taken from it. False: there is none. */
bool tl_uftrace_take_number(struct tl_uftrace_line *line, unsigned base, uint64_t *number);
/* "SECONDS.NANOSECONDS" at the begin of a line, which is taken from it. False: there is none. */
bool tl_uftrace_take_time(struct tl_uftrace_line *line, uint64_t *time_ns);
/* The number behind "KEY=" anywhere in a line. False: it is not there. */
bool tl_uftrace_field(const struct tl_uftrace_line *line, const char *key, uint64_t *number);
/* The text behind "KEY=", up to a blank, or inside of quotes. False: it is not there. */
bool tl_uftrace_text_field(const struct tl_uftrace_line *line, const char *key,
			   struct tl_uftrace_line *value);

/* task.txt: sessions and tasks. 0 or negative. */
int tl_uftrace_read_tasks(struct tl_uftrace_recording *u, struct tl_error *err);
/* The session of a process at a time; NULL: unknown. */
struct tl_uftrace_session *tl_uftrace_session_at(struct tl_uftrace_recording *u, uint32_t process,
						 uint64_t time_ns);
void tl_uftrace_free(struct tl_uftrace_recording *u);

/* The frame of an address; its symbols are read when they are asked for. TL_NONE: *err is set. */
uint32_t tl_uftrace_frame(struct tl_uftrace_recording *u, struct tl_uftrace_session *session,
			  uint64_t address, struct tl_error *err);

/* The calls of a thread from its file. 0 or negative. */
int tl_uftrace_read_records(struct tl_uftrace_recording *u, const struct tl_uftrace_task *task,
			    struct tl_error *err);

#endif
