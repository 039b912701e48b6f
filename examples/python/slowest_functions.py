#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slowest_functions.py TRACE [PROGRAM]: the ten functions with most cost of their own."""
import sys

import tracelathe

with tracelathe.open(sys.argv[1], binary=sys.argv[2:]) as trace:
    total = trace.profile.total[0] or 1
    for function in sorted(trace.functions, key=lambda f: -f.self[0])[:10]:
        print("%6.2f%% %12d calls  %s" % (100 * function.self[0] / total, function.calls, function.name))
