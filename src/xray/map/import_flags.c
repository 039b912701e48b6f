/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of functions of other objects, by their names. */
#include <string.h>

#include "xray/map/callees.h"

/* Functions that return a second time at a place where the program was before. */
static const char *const resumers[] = { "setjmp",     "_setjmp",     "__sigsetjmp", "sigsetjmp",
					"getcontext", "swapcontext", "savectx",     NULL };

/* Functions that call no function of the program. A star matches any text. */
/* clang-format off */
static const char *const quiet[] = {
	"__cxa_*", "_Unwind_*", "_Znwm*", "_Znam*", "_ZdlPv*", "_ZdaPv*", "malloc", "calloc",
	  "realloc", "free",
	"mem*", "str*", "abort", "exit_group", "_exit", "__stack_chk_fail", "__assert_fail",
	  "longjmp", "_longjmp",
	"siglongjmp", "__longjmp_chk", "printf", "fprintf", "snprintf", "sprintf", "vsnprintf",
	  "vfprintf", "puts",
	"putchar", "fputs", "fputc", "fwrite", "fread", "fopen*", "fclose", "fflush", "read",
	  "write", "open*", "close",
	"usleep", "nanosleep", "sched_yield", "clock_gettime", "gettimeofday", "time", "getenv",
	  "getpid", "atoi",
	"__*printf_chk", "pthread_mutex_*", "pthread_cond_*", "pthread_self",
	"_ZNSt9exception*", "_ZNSt9bad_alloc*", "_ZSt20__throw_*", "_ZSt19__throw_*",
	  "_ZSt17__throw_*",
	"_ZSt24__throw_*", "_ZSt28__throw_*", "_ZSt9terminatev", "_ZNSs*", "_ZNKSs*",
	"_ZNSt7__cxx1112basic_string*", "_ZNKSt7__cxx1112basic_string*", "_ZNSt11logic_error*",
	"_ZNSt13runtime_error*", "_ZNSt12out_of_range*", "_ZNSt16invalid_argument*",
	  "_ZNSt12domain_error*",
	"_ZNSt12length_error*", "_ZNSt14overflow_error*", "_ZNSt15underflow_error*",
	  "_ZNSt11range_error*",
	"_ZNSt8bad_cast*", "_ZSt17current_exceptionv", "_ZSt17rethrow_exception*",
	  "_ZNSt15__exception_ptr*",
	"_ZSt18_Rb_tree_*", "_ZSt28_Rb_tree_*", "_ZSt29_Rb_tree_*",
	  "_ZNSt8__detail15_List_node_base*",
	"_ZNKSt8__detail20_Prime_rehash_policy*", "sin", "cos", "tan", "exp", "log", "pow", "sqrt",
	  "fmod", "floor",
	"ceil", NULL,
};
/* clang-format on */

static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');

	if (!star)
		return !strcmp(pattern, name);
	return !strncmp(pattern, name, (size_t)(star - pattern)) &&
	       (!star[1] || strstr(name + (star - pattern), star + 1));
}

static bool is_among(const char *const *patterns, const char *name)
{
	for (; *patterns; patterns++)
		if (matches(*patterns, name))
			return true;
	return false;
}

uint8_t tl_xray_import_flags(const char *name)
{
	if (is_among(resumers, name))
		return TL_XRAY_CALLEES_RESUMES |
		       (strstr(name, "swapcontext") ? TL_XRAY_CALLS_OTHER_OBJECTS : 0);
	return is_among(quiet, name) ? 0 : TL_XRAY_CALLS_OTHER_OBJECTS;
}
