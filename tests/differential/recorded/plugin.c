/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded and unloaded by program.c. */
int plug(unsigned long *calls);

int plug(unsigned long *calls)
{
	++*calls;
	return (int)*calls;
}
