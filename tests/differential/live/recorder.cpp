// SPDX-License-Identifier: Apache-2.0
// Starts the recording before main() and ends it after: LIVE_MODE is xray-fdr or xray-basic,
// LIVE_OPTIONS are those of the mode, LIVE_COUNTS is the file for our own counters.
#include "recorder.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

static std::atomic<counter *> counters{ nullptr };
static pid_t began; // the process that the recording began in

counter::counter(const char *its_name) : name(its_name), next(counters.load())
{
	while (!counters.compare_exchange_weak(next, this))
		;
}

NOT_TRACED void forget_counts()
{
	for (counter *c = counters; c; c = c->next)
		c->count = 0;
}

NOT_TRACED static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	_Exit(3);
}

NOT_TRACED static void end()
{
	if (__xray_log_finalize() != XRAY_LOG_FINALIZED)
		fail("finalize failed");
	__xray_unpatch();
	if (__xray_log_flushLog() != XRAY_LOG_FLUSHED)
		fail("flush failed");

	// Each process that was forked writes a file of its own.
	std::string name = getenv("LIVE_COUNTS");

	if (getpid() != began)
		name += "." + std::to_string(getpid());

	FILE *file = fopen(name.c_str(), "w");

	if (!file)
		fail("cannot write the counts");
	for (const counter *c = counters; c; c = c->next)
		fprintf(file, "%llu %s\n", (unsigned long long)c->count.load(), c->name);
	fclose(file);
}

__attribute__((constructor(65535))) NOT_TRACED static void begin()
{
	const char *mode = getenv("LIVE_MODE"), *options = getenv("LIVE_OPTIONS");

	if (!mode || !options || !getenv("LIVE_COUNTS"))
		return;
	if (__xray_log_select_mode(mode) != XRAY_REGISTRATION_OK)
		fail("no such mode");
	if (__xray_log_init_mode(mode, options) != XRAY_LOG_INITIALIZED)
		fail("init failed");
	__xray_patch();
	began = getpid();
	atexit(end);
}
