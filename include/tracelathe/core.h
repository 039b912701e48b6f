/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_CORE_H
#define TRACELATHE_CORE_H
/**
 * @file
 * Errors, input sources and output files, which every other part of tracelathe uses.
 *
 * Conventions of the whole library: functions return 0 or a count on success and a negative `enum
 * tl_status` on failure; the optional `struct tl_error *err` then says what was wrong and where.
 * Nothing prints, exits or aborts. Handles are not shared between threads; two handles may be used
 * by two threads.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

/** The version of the library that this header belongs to; tl_version() is the one that runs. */
#define TL_VERSION "0.2.0"
/** The same in numbers. Before 1.0 an interface may change with the minor one: docs/abi.md. */
#define TL_VERSION_MAJOR 0
#define TL_VERSION_MINOR 2
#define TL_VERSION_PATCH 0

/** "No such function, context, part, ...": the null value of every 32-bit index of this library. */
#define TL_NONE UINT32_MAX
/** "No offset" or "no record number" in an error. */
#define TL_NOWHERE UINT64_MAX

/** Why a call failed. */
enum tl_status {
	TL_OK = 0,
	TL_NO_MEMORY = -1,   /**< an allocation failed */
	TL_IO = -2,          /**< the system refused; `sys_errno` has its code */
	TL_BAD_FORMAT = -3,  /**< not a file of the format it is read as */
	TL_TRUNCATED = -4,   /**< the input ends inside a record */
	TL_BAD_RECORD = -5,  /**< a record contradicts its format */
	TL_BAD_SIZE = -6,    /**< a size that the bytes left cannot hold */
	TL_UNSUPPORTED = -7, /**< right, but not something this build can do */
	TL_BAD_USAGE = -8,   /**< an argument of the call makes no sense */
	TL_TOO_LARGE = -9,   /**< a limit that protects the machine was reached */
};

/** An error and its place. Filled once, at the failing byte; `text` is static. */
struct tl_error {
	enum tl_status status;
	int sys_errno;      /**< for TL_IO, else 0 */
	const char *format; /**< "xray", ...; NULL: not about a format */
	const char *text;   /**< one clause: the fault; the data that was kept */
	uint64_t offset;    /**< bytes from the start of the (expanded) input, or TL_NOWHERE */
	uint64_t record;    /**< number of the record from 0, or TL_NOWHERE */
};

/** The name of a status ("no memory", "truncated", ...); static. */
TL_API const char *tl_status_name(enum tl_status status);

/** The version of the library that runs, e.g. "0.2.0"; static. */
TL_API const char *tl_version(void);

/** Bytes of a character as tl_shown_character() shows it, its end included. */
#define TL_SHOWN_BYTES 8

/**
 * The next character of a text from an input, as it may be shown on a terminal: control characters
 * (C0, DEL) and bytes that are not UTF-8 become `\xNN`; C1 controls, overrides and marks of the
 * writing direction and separators of lines `\uNNNN`; everything else stays as it is.
 * @param size   bytes of the text that are left, at least 1
 * @param shown  set to the character, terminated
 * @return bytes of the text that it stands for, 1 to 4
 */
TL_API size_t tl_shown_character(const char *text, size_t size, char shown[TL_SHOWN_BYTES]);

/* ---- input ----------------------------------------------------------------------------------- */

/** Where the bytes come from: a file, a pipe, memory; expanded when compressed. */
struct tl_source;

/**
 * Called now and then while input is consumed.
 * @param done,total  bytes of the file as stored; total 0: unknown (pipe)
 * @return 0 to go on; anything else stops the work with TL_IO and ECANCELED
 */
typedef int tl_progress_fn(void *arg, uint64_t done, uint64_t total);

/** How a source is opened. Zero-filled with `size` set is a good default. */
struct tl_source_options {
	size_t size;            /**< sizeof(struct tl_source_options) */
	uint64_t max_ratio;     /**< bomb guard: most expanded bytes per stored byte, 0: 512 */
	uint64_t free_expanded; /**< expanded bytes that the guard always allows, 0: 64 MiB */
	tl_progress_fn *progress;
	void *progress_arg;
};

/**
 * Open a file for reading, "-" for standard input. zstd, gzip, xz and lz4 frames are recognised by
 * content.
 *
 * @param options  may be NULL
 * @return 0, or TL_IO (missing, directory, unreadable), TL_NO_MEMORY, TL_UNSUPPORTED
 */
TL_API int tl_source_open(struct tl_source **source, const char *path,
			  const struct tl_source_options *options, struct tl_error *err);

/**
 * A source over bytes the caller keeps alive and unchanged. Compressed content is expanded as for
 * files.
 */
TL_API int tl_source_open_memory(struct tl_source **source, const void *data, size_t size,
				 const char *name, struct tl_error *err);

/** The path as given, "-" for standard input; lives as long as the source. */
TL_API const char *tl_source_name(const struct tl_source *source);

/** Size of the file as stored, 0 when unknown (pipe). */
TL_API uint64_t tl_source_stored_size(const struct tl_source *source);

/** The compression found: "none", "zstd", "gzip", "xz" or "lz4"; static. */
TL_API const char *tl_source_compression(const struct tl_source *source);

/**
 * Read the next expanded bytes, in order. Not to be mixed with tl_source_map().
 * @return bytes read, 0 at the end, negative tl_status; damage in a compressed stream ends it: see
 *         tl_source_fault()
 */
TL_API int64_t tl_source_read(struct tl_source *source, void *buffer, size_t size,
			      struct tl_error *err);

/**
 * All expanded bytes at one address. Plain files are mapped; pipes and compressed files go to an
 * unlinked temporary file ($TMPDIR, else /var/tmp) which is then mapped, so that memory does not
 * grow with the input. The mapping lives until tl_source_close().
 */
TL_API int tl_source_map(struct tl_source *source, const uint8_t **data, size_t *size,
			 struct tl_error *err);

/**
 * Tell a mapped source that bytes [offset, offset + size) are not needed for now; their memory may
 * be given back.
 */
TL_API void tl_source_release(struct tl_source *source, uint64_t offset, uint64_t size);

/**
 * Damage met while expanding (truncated or corrupt compressed data, bomb guard): the bytes before
 * it were delivered.
 * @return NULL when there was none; lives as long as the source
 */
TL_API const struct tl_error *tl_source_fault(const struct tl_source *source);

/**
 * Report progress: `done` expanded bytes of a mapped source have been processed. @return 0 or TL_IO
 * (cancelled)
 */
TL_API int tl_source_tick(struct tl_source *source, uint64_t done, struct tl_error *err);

/**
 * Whether the file has become shorter since it was opened, so that bytes that were read may never
 * have been in it. False for pipes and memory. A file that has grown counts as unchanged: its
 * beginning is read.
 */
TL_API bool tl_source_changed(const struct tl_source *source);

/**
 * Survive mapped files that become shorter, or cannot be read, while they are read. Without this
 * the process gets a SIGBUS, as with any mapped file. With it, a handler of SIGBUS (of the whole
 * process: for programs, not for libraries) lets the bytes be zeros, and the call that read them
 * fails with TL_IO.
 * @return 0 or TL_IO
 */
TL_API int tl_guard_mapped_files(struct tl_error *err);

/** Close and free; NULL is fine. */
TL_API void tl_source_close(struct tl_source *source);

/* ---- output ---------------------------------------------------------------------------------- */

/** A buffered output file that appears whole or not at all. */
struct tl_output;

/**
 * Open for writing. A path is written as a temporary file in its directory, without a name where
 * the file system has such files, and put in place by tl_output_commit(); special files (/dev/full)
 * directly. NULL or "-" is standard output, which takes no binary bytes if it is a terminal.
 */
TL_API int tl_output_open(struct tl_output **out, const char *path, struct tl_error *err);

/** An output that gathers its bytes in memory; see tl_output_bytes(). */
TL_API int tl_output_open_memory(struct tl_output **out, struct tl_error *err);

/** The bytes of a memory output so far; valid until the next write. */
TL_API const char *tl_output_bytes(struct tl_output *out, size_t *size);

/**
 * Append bytes. Errors are kept and reported by tl_output_commit(); later writes are then ignored.
 */
TL_API void tl_output_write(struct tl_output *out, const void *data, size_t size);

/** True when any byte was written so far. */
TL_API bool tl_output_used(const struct tl_output *out);

/** True once a write failed: a long writer may stop early. */
TL_API bool tl_output_failed(const struct tl_output *out);

/**
 * The file will be a program: who may read it may execute it. Of an output that is no new file
 * nothing changes.
 */
TL_API void tl_output_make_executable(struct tl_output *out);

/**
 * Flush, fsync, rename into place, fsync the directory, then free the handle.
 * @return 0, or TL_IO with the first error met (EPIPE and ENOSPC among them); the old file is then
 *         untouched, unless only the last step failed
 */
TL_API int tl_output_commit(struct tl_output *out, struct tl_error *err);

/**
 * The first half of tl_output_commit(); tl_output_discard() must follow, and then drops nothing.
 */
TL_API int tl_output_finish(struct tl_output *out, struct tl_error *err);

/** Drop everything that is not committed and free the handle; NULL is fine. */
TL_API void tl_output_discard(struct tl_output *out);

/**
 * Remove the temporary file of an output, if it has a name: for a signal handler that ends the
 * process. May be called at any time between tl_output_open() and tl_output_commit() or
 * tl_output_discard(); async-signal-safe. The handle is as before.
 */
TL_API void tl_output_abandon(struct tl_output *out);

#ifdef __cplusplus
}
#endif
#endif
