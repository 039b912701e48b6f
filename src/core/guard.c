/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a mapped file behind its new end, or on a failing disk, raise SIGBUS when they are
 * read. The handler maps a page of zeros in their place and counts it; a source that finds the
 * count changed fails with TL_IO.
 */
#include "core/guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

/*
 * The only mutable state of the process: a signal handler has no argument that could carry it.
 * Several threads may read the same file when it becomes shorter.
 */
static atomic_uint lost_pages;
static uintptr_t page_bytes;

/* Replace the page, so that the instruction can be run again. False: it was no page of a file. */
static bool replace_page(const siginfo_t *info)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_bytes - 1));

	if (info->si_code != BUS_ADRERR)
		return false;
	return mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	       page;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (replace_page(info))
		atomic_fetch_add(&lost_pages, 1);
	else
		signal(number, SIG_DFL);
}

int tl_guard_mapped_files(struct tl_error *err)
{
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) ? tl_error_system(err, "cannot handle SIGBUS") : 0;
}

unsigned tl_guard_lost_pages(void)
{
	return atomic_load(&lost_pages);
}
