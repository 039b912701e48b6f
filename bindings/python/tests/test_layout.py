# SPDX-License-Identifier: Apache-2.0
"""Every struct of the package is laid out as a C compiler lays it out from the headers."""
import ctypes
import os
import shutil
import subprocess
import tempfile
import unittest

from tracelathe import _library

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Layout(unittest.TestCase):
    def test_structs_are_those_of_the_headers(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("there is no C compiler")
        lines, want = [], []
        for struct in _library.STRUCTS:
            lines.append('printf("%%zu\\n", sizeof(%s));' % struct.C_NAME)
            want.append((struct.C_NAME, ctypes.sizeof(struct)))
            for name, *_ in struct._fields_:
                lines.append('printf("%%zu\\n", offsetof(%s, %s));' % (struct.C_NAME, name.rstrip("_")))
                want.append((struct.C_NAME + "." + name, getattr(struct, name).offset))
        source = "#include <stdio.h>\n#include <tracelathe/tracelathe.h>\nint main(void)\n{\n%s\n}\n" % "\n".join(lines)
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "layout")
            with open(program + ".c", "w") as file:
                file.write(source)
            subprocess.run([compiler, "-I", os.path.join(ROOT, "include"), "-o", program, program + ".c"], check=True)
            numbers = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        for (what, mine), number in zip(want, numbers):
            self.assertEqual(mine, int(number), what)
        self.assertEqual(len(want), len(numbers))
