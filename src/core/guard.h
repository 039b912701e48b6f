/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_GUARD_H
#define TL_CORE_GUARD_H
/* Mapped files that change while they are read (tl_guard_mapped_files()). */

/* How many pages could not be read so far, of any mapped file of the process. */
unsigned tl_guard_lost_pages(void);

#endif
