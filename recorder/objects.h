/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_OBJECTS_H
#define RECORDER_OBJECTS_H

/* Write all objects known so far into the file `objects` of the image; under the lock. */
void rt_objects_write_all(void);

#endif
