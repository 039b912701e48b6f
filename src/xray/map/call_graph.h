/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_CALL_GRAPH_H
#define TL_XRAY_MAP_CALL_GRAPH_H
/*
 * Who can have called whom, by the program's code. An exception or longjmp leaves no exit record,
 * so that a frame may stand on the stack that was left long ago. Its code tells: what it has no
 * call to, it has not called.
 *
 * A function can call another one that has sleds when a path of calls and jumps leads there from it
 * that goes through functions without sleds only (those with sleds would be on the stack
 * themselves). On the way
 *   an indirect call or jump       may lead anywhere;
 *   a function of another object   may lead to whatever has its address taken in the program, or is
 *                                  exported (callbacks), but for those known to call nothing back;
 *   code without unwind tables     may lead anywhere.
 * Functions are those of the unwind tables (symbols/unwind.h); the code is read once, function by
 * function, when first asked for. A program of another machine than x86-64 and AArch64 tells
 * nothing: all is possible.
 *
 * Who can go on after a callee was left: a function with a landing pad that catches, or that calls
 * setjmp or the like, itself or by a path as above.
 */
#include <tracelathe/xray.h>

struct tl_xray_call_graph;

/*
 * NULL without memory. `map` must live as long. For a map without a binary every call is possible.
 */
struct tl_xray_call_graph *tl_xray_call_graph_open(struct tl_xray_map *map);
void tl_xray_call_graph_close(struct tl_xray_call_graph *call_graph);

/* Whether an answer was given without enough memory. */
bool tl_xray_call_graph_short_of_memory(const struct tl_xray_call_graph *call_graph);

/*
 * Both take function ids and may be called from any thread. True without memory, and for ids that
 * the map does not have.
 */
bool tl_xray_can_call(struct tl_xray_call_graph *call_graph, uint32_t caller, uint32_t callee);
bool tl_xray_can_resume(struct tl_xray_call_graph *call_graph, uint32_t function);

#endif
