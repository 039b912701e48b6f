/* SPDX-License-Identifier: Apache-2.0 */
/* Programs built with -finstrument-functions: the compiler calls these two. */
#include "thread.h"

#define RT_PUBLIC __attribute__((visibility("default")))

RT_PUBLIC void __cyg_profile_func_enter(void *function, void *call_site);
RT_PUBLIC void __cyg_profile_func_exit(void *function, void *call_site);

RT_PUBLIC void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct rt_thread *t = rt_thread();

	(void)call_site;
	if (t)
		rt_enter(t, rt_id(t, (uintptr_t)function), (uintptr_t)__builtin_frame_address(0),
			 false, RT_ENTER);
}

RT_PUBLIC void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct rt_thread *t = rt_thread();

	(void)call_site;
	if (t)
		rt_leave_id(t, rt_id(t, (uintptr_t)function), RT_EXIT);
}
