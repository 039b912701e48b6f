/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_FLOW_H
#define TRACELATHE_FLOW_H
/**
 * @file
 * Two executions of a program compared instruction by instruction: where they part for the first
 * time, how often and where they part again. tl_input_flow() of <tracelathe/open.h> makes it.
 *
 * Instructions are the same if their code is and they stand at the same place of the same object;
 * layouts of the address space do not matter. Code of no known file is the same where its bytes and
 * the offset in its page are.
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The result. */
struct tl_flow;

/** How executions are compared. Zero-filled with `size` set is a good default. */
struct tl_flow_options {
	size_t size; /**< sizeof(struct tl_flow_options) */
	/**
	 * how many blocks (runs of instructions up to a branch) are searched on either side for the
	 * place where they meet again; 0: 1,048,576. Memory use grows with it.
	 */
	uint32_t window;
	/**
	 * how many blocks in a row have to be the same there, at least; far off, and behind a part
	 * that is missing, up to 8 times as many; 0: 8
	 */
	uint32_t meet;
	uint32_t listed; /**< differences that are listed one by one; 0: 1,000 */
};

/** A place in the code. */
struct tl_flow_spot {
	const char *function; /**< "": unknown */
	const char *object;   /**< name of its file, "": unknown */
	uint64_t into;        /**< bytes behind the function's first one; unknown function: 0 */
	uint64_t offset;      /**< address in the object; unknown object: as `address` */
	uint64_t address;     /**< when it was executed */
};

/** Why two executions part. */
enum tl_flow_reason {
	TL_FLOW_OTHER_WAY,   /**< control goes to different places */
	TL_FLOW_OTHER_CODE,  /**< the same place has different code */
	TL_FLOW_BEFORE_ENDS, /**< the trace before ends, that after goes on */
	TL_FLOW_AFTER_ENDS,
	/** a part of a trace is missing: not said is that they differ */
	TL_FLOW_MISSING,
};

/** A difference: both sides do the same up to it, and again behind it. */
struct tl_flow_difference {
	enum tl_flow_reason reason;
	/** the last instruction that both executed; of both sides [0] is before, [1] is after */
	bool has_last;
	struct tl_flow_spot last[2];
	/** the first ones that differ; not there where a trace ends, or is missing */
	bool has_next[2];
	struct tl_flow_spot next[2];
	uint64_t ordinal[2];      /**< instructions executed by then */
	uint64_t instructions[2]; /**< that only this side executed, up to where they meet */
	/**
	 * false: they do not meet again, or not within the window: then nothing behind was compared
	 * (tl_flow_stream.complete)
	 */
	bool meets;
	uint64_t offset[2]; /**< in the file: the place is at most some thousand blocks on */
};

/** A place at which two executions part, and how often they do there. */
struct tl_flow_parting {
	bool has_last;               /**< false: before the first instruction */
	struct tl_flow_spot last;    /**< of the side before */
	struct tl_flow_spot next[2]; /**< of the first time */
	bool has_next[2];
	uint64_t times;
	uint64_t instructions[2]; /**< that only one side executed, of all times */
	uint64_t ordinal;         /**< of the first time, before */
};

/** Two streams, one of each input. */
struct tl_flow_stream {
	uint64_t process[2], thread[2]; /**< TL_NOWHERE: unknown */
	uint64_t instructions[2];       /**< executed, all of them */
	uint64_t common;                /**< executed by both, in the same order */
	uint64_t differences; /**< places where they part, those of TL_FLOW_MISSING not counted */
	uint64_t missing;     /**< parts that are missing in one of them */
	uint64_t listed;      /**< for tl_flow_difference(), also those of TL_FLOW_MISSING */
	uint64_t partings;    /**< for tl_flow_parting() */
	bool complete;        /**< false: behind the last difference nothing was compared */
};

/** How many pairs of streams were compared. */
TL_API size_t tl_flow_stream_count(const struct tl_flow *flow);
/** How many streams a side has that the other one lacks, which were not compared. */
TL_API size_t tl_flow_unpaired(const struct tl_flow *flow, bool after);
/** @param size  sizeof(*to). @return 0, or TL_BAD_USAGE: there is none, or a size too small */
TL_API int tl_flow_stream(const struct tl_flow *flow, size_t stream, struct tl_flow_stream *to,
			  size_t size);
/**
 * The differences of a stream in their order, by number from 0; strings live as long as the result.
 * @return as tl_flow_stream()
 */
TL_API int tl_flow_difference(const struct tl_flow *flow, size_t stream, uint64_t number,
			      struct tl_flow_difference *to, size_t size);
/** The places of differences, those with the most instructions of both sides first. */
TL_API int tl_flow_parting(const struct tl_flow *flow, size_t stream, uint64_t number,
			   struct tl_flow_parting *to, size_t size);
/**
 * The call stack of the side before where a stream parts for the first time, TL_FLOW_MISSING aside:
 * number 0 is the function of the last common instruction, 1 the place it was called from, and so
 * on; calls that began before the trace are not known.
 * @return as tl_flow_stream(); TL_BAD_USAGE behind the last
 */
TL_API int tl_flow_stack(const struct tl_flow *flow, size_t stream, uint64_t number,
			 struct tl_flow_spot *to, size_t size);
/** NULL is fine. */
TL_API void tl_flow_free(struct tl_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
