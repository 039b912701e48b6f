/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever walks the stack must find the return addresses that the program put there: exceptions,
 * backtraces, the end of a thread. They are put back before, and changed again where an exception
 * is caught. A call that an exception leaves ends at the next record of its thread.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include "fentry.h"

#define RT_PUBLIC __attribute__((visibility("default")))

static void *next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

RT_PUBLIC _Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
	_Unwind_Reason_Code (*next)(struct _Unwind_Exception *);

	*(void **)&next = next_of("_Unwind_RaiseException");
	rt_unhide();
	return next(exception);
}

RT_PUBLIC _Unwind_Reason_Code _Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception)
{
	_Unwind_Reason_Code (*next)(struct _Unwind_Exception *);

	*(void **)&next = next_of("_Unwind_Resume_or_Rethrow");
	rt_unhide();
	return next(exception);
}

RT_PUBLIC void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	void (*next)(struct _Unwind_Exception *);

	*(void **)&next = next_of("_Unwind_Resume");
	rt_unhide();
	next(exception);
	__builtin_unreachable();
}

RT_PUBLIC _Unwind_Reason_Code _Unwind_ForcedUnwind(struct _Unwind_Exception *exception,
						   _Unwind_Stop_Fn stop, void *arg)
{
	_Unwind_Reason_Code (*next)(struct _Unwind_Exception *, _Unwind_Stop_Fn, void *);

	*(void **)&next = next_of("_Unwind_ForcedUnwind");
	rt_unhide();
	return next(exception, stop, arg);
}

RT_PUBLIC _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn trace, void *arg)
{
	_Unwind_Reason_Code (*next)(_Unwind_Trace_Fn, void *), result;

	*(void **)&next = next_of("_Unwind_Backtrace");
	rt_unhide();
	result = next(trace, arg);
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return result;
}

int backtrace(void **addresses, int size);

RT_PUBLIC int backtrace(void **addresses, int size)
{
	int (*next)(void **, int), result;

	*(void **)&next = next_of("backtrace");
	rt_unhide();
	result = next(addresses, size);
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return result;
}

RT_PUBLIC void pthread_exit(void *value)
{
	void (*next)(void *);

	*(void **)&next = next_of("pthread_exit");
	rt_unhide();
	next(value);
	__builtin_unreachable();
}

void *__cxa_begin_catch(void *exception);

/* Called by the function that catches: what is below its frame was left. */
RT_PUBLIC void *__cxa_begin_catch(void *exception)
{
	void *(*next)(void *);

	*(void **)&next = next_of("__cxa_begin_catch");
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return next(exception);
}
