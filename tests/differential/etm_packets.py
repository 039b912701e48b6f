#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packets of drawn ETMv4 and ETE traces, and the instructions of a machine's traces, as libopencsd reads them.

  etm_packets.py [ETM_OPENCSD ETM_RANGES]

Exit status: 0 the same, 1 not, 77 skipped: libopencsd-dev was not there when this was built.
"""
import subprocess
import sys

import common

if len(sys.argv) < 3:
    print("skipped: libopencsd-dev is not installed")
    sys.exit(common.SKIPPED)
# Traces, and the first seed. Leaks are not looked for (common.py): OpenCSD's own are hundreds.
failed = [program for program, traces in zip(sys.argv[1:], ("500", "100")) if subprocess.call([program, traces, "1"])]
sys.exit(1 if failed else 0)
