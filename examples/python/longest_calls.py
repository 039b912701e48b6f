#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""longest_calls.py TRACE [PROGRAM]: the ten calls that took longest, of a trace however long."""
import heapq
import sys

import tracelathe

with tracelathe.open(sys.argv[1], binary=sys.argv[2:]) as trace:
    ended = (call for call in trace.calls() if call.end is not None)
    for call in heapq.nlargest(10, ended, key=lambda c: c.end - c.start):
        print("%15d ticks  thread %d, from %d on  %s" % (call.end - call.start, call.thread, call.start, call.function))
