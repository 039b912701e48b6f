#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packets of drawn ETMv4 and ETE traces as libopencsd reads them (etm_opencsd.c).

  etm_packets.py [ETM_OPENCSD]

Exit status: 0 the same, 1 not, 77 skipped: libopencsd-dev was not there when this was built.
"""
import subprocess
import sys

if len(sys.argv) < 2:
    print("skipped: libopencsd-dev is not installed")
    sys.exit(77)
# Traces, and the first seed.
sys.exit(subprocess.call([sys.argv[1], "500", "1"]))
