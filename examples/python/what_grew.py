#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""what_grew.py BEFORE AFTER: functions that cost more than before, largest growth first."""
import sys

import tracelathe

with tracelathe.open(sys.argv[1]) as before, tracelathe.open(sys.argv[2]) as after:
    diff = before.profile.diff(after.profile)
grown = [row for row in diff.rows if row.after[0] > row.before[0]]
for row in sorted(grown, key=lambda r: r.before[0] - r.after[0]):
    print("%+15d %s  %s" % (row.after[0] - row.before[0], diff.events[0], row.name))
