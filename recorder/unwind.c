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

/*
 * A function of ours that stands before another one's. In a program that is linked statically it
 * stands there by the linker's --wrap, which calls ours __wrap_NAME and the other one __real_NAME.
 */
#ifdef RT_STATIC
#define THEIRS(name) __real_##name
#define IN_FRONT(result, name, ...)                                                                \
	result __real_##name(__VA_ARGS__);                                                         \
	result __wrap_##name(__VA_ARGS__);                                                         \
	result __wrap_##name(__VA_ARGS__)
#else
#define THEIRS(name)                                                                               \
	({                                                                                         \
		__typeof__(&(name)) next_;                                                         \
		*(void **)&next_ = dlsym(RTLD_NEXT, #name);                                        \
		next_;                                                                             \
	})
#define IN_FRONT(result, name, ...)                                                                \
	result name(__VA_ARGS__);                                                                  \
	__attribute__((visibility("default"))) result name(__VA_ARGS__)
#endif

IN_FRONT(_Unwind_Reason_Code, _Unwind_RaiseException, struct _Unwind_Exception *exception)
{
	rt_unhide((uintptr_t)__builtin_frame_address(0));
	return THEIRS(_Unwind_RaiseException)(exception);
}

IN_FRONT(_Unwind_Reason_Code, _Unwind_Resume_or_Rethrow, struct _Unwind_Exception *exception)
{
	rt_unhide((uintptr_t)__builtin_frame_address(0));
	return THEIRS(_Unwind_Resume_or_Rethrow)(exception);
}

IN_FRONT(void, _Unwind_Resume, struct _Unwind_Exception *exception)
{
	rt_unhide((uintptr_t)__builtin_frame_address(0));
	THEIRS(_Unwind_Resume)(exception);
	__builtin_unreachable();
}

IN_FRONT(_Unwind_Reason_Code, _Unwind_ForcedUnwind, struct _Unwind_Exception *exception,
	 _Unwind_Stop_Fn stop, void *arg)
{
	rt_unhide((uintptr_t)__builtin_frame_address(0));
	return THEIRS(_Unwind_ForcedUnwind)(exception, stop, arg);
}

IN_FRONT(_Unwind_Reason_Code, _Unwind_Backtrace, _Unwind_Trace_Fn trace, void *arg)
{
	_Unwind_Reason_Code result;

	rt_unhide((uintptr_t)__builtin_frame_address(0));
	result = THEIRS(_Unwind_Backtrace)(trace, arg);
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return result;
}

IN_FRONT(int, backtrace, void **addresses, int size)
{
	int result;

	rt_unhide((uintptr_t)__builtin_frame_address(0));
	result = THEIRS(backtrace)(addresses, size);
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return result;
}

IN_FRONT(void, pthread_exit, void *value)
{
	rt_unhide((uintptr_t)__builtin_frame_address(0));
	THEIRS(pthread_exit)(value);
	__builtin_unreachable();
}

#ifdef RT_STATIC
/* A program in C has none; one in C++ has it beside the end of a catch, which nobody wraps. */
__attribute__((weak)) void *__real___cxa_begin_catch(void *exception);
#endif

/* Called by the function that catches: what is below its frame was left. */
IN_FRONT(void *, __cxa_begin_catch, void *exception)
{
	rt_hide((uintptr_t)__builtin_frame_address(0));
	return THEIRS(__cxa_begin_catch)(exception);
}
