#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ask.py TRACE SQL: the rows of a statement, as JSON, one a line (docs/query.md has the tables)."""
import json
import sys

import tracelathe

with tracelathe.open(sys.argv[1]) as trace:
    for row in trace.query(sys.argv[2]):
        print(json.dumps(row._asdict()))
