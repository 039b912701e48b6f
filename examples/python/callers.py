#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""callers.py FUNCTION TRACE [PROGRAM]: who called a function, how often, and what those calls cost."""
import collections
import sys

import tracelathe

calls, cost = collections.Counter(), collections.Counter()
with tracelathe.open(sys.argv[2], binary=sys.argv[3:]) as trace:
    names = {function.number: function.name for function in trace.functions}
    for arc in trace.arcs:
        if names[arc.callee] == sys.argv[1]:
            caller = "(outside)" if arc.caller is None else names[arc.caller]
            calls[caller] += arc.calls
            cost[caller] += arc.inclusive[0]
for caller, spent in cost.most_common():
    print("%12d calls %15d  %s" % (calls[caller], spent, caller))
