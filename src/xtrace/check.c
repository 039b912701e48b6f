#include <tracelathe/xtrace.h>
int64_t tl_xtrace_check(struct tl_xtrace *trace, tl_xtrace_violation_fn *fn, void *arg, struct tl_error *err) {(void)trace;(void)fn;(void)arg;(void)err;return 0;}
int tl_xtrace_slice_write(struct tl_xtrace *trace, const struct tl_xtrace_slice *slice, struct tl_output *stream, struct tl_output *snapshots, struct tl_error *err) {(void)trace;(void)slice;(void)stream;(void)snapshots;(void)err;return 0;}
