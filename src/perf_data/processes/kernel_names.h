/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_KERNEL_NAMES_H
#define TL_PERF_DATA_PROCESSES_KERNEL_NAMES_H
/* Names of the recorded kernel and its modules, as /proc/kallsyms has them. */
#include "perf_data/processes/system.h"
#include "symbols/name_list.h"

/*
 * The object of the kernel itself, and its number; NULL: no map of it was recorded.
 * @param guest  number of a virtual machine; TL_NONE: the host's
 */
struct tl_perf_object *tl_perf_kernel_object(struct tl_perf_system *sys, uint32_t guest,
					     uint32_t *number);

/*
 * Read the list: one that was given (search.programs), or from kcore_dir beside the recording, a
 * build-id cache, or the kernel that runs here if it is the recorded one.
 * @param why  set if there is no list: the reason, static
 * @return 0 or TL_NO_MEMORY
 */
int tl_perf_kernel_names_read(const struct tl_perf_system *sys, const struct tl_perf_object *kernel,
			      struct tl_name_list *list, const char **why, struct tl_error *err);

/* Whether a file is a list of names of the recorded kernel. 1, 0, TL_NO_MEMORY. */
int tl_perf_given_names_kernel(const struct tl_perf_system *sys, const char *given,
			       struct tl_error *err);

/* The name of an address of the kernel, NULL: none. */
const struct tl_named_range *tl_perf_kernel_names_find(const struct tl_name_list *list,
						       uint64_t ip);

#endif
