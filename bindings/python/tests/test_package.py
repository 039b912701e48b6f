# SPDX-License-Identifier: Apache-2.0
"""The wheel and the source archive: what is in them is the package, and it works from there."""
import base64
import csv
import hashlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(HERE)
LOG = os.path.join(os.path.dirname(os.path.dirname(SOURCES)), "tests", "golden", "xray", "fib-fdr.xray")
WORK = "import sys, tracelathe as t; print(t.__file__); print(len(t.open(sys.argv[1]).functions), t.version())"


def backend(folder):
    spec = importlib.util.spec_from_file_location("backend", os.path.join(folder, "backend.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def works_from(place):
    """Whether a python that finds the package there, and not in the sources, reads a log; where it was found."""
    done = subprocess.run([sys.executable, "-c", WORK, LOG], stdout=subprocess.PIPE, check=True, cwd="/",
                          env=dict(os.environ, PYTHONPATH=place))
    found, told = done.stdout.decode().splitlines()
    return found.startswith(place) and int(told.split()[0]) > 0


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = self.folder.name

    def test_the_wheel_has_the_package_and_works(self):
        wheel = os.path.join(self.at, backend(SOURCES).build_wheel(self.at))
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            listed = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual([row[0] for row in listed], names)
            for name, digest, size in listed[:-1]:
                data = archive.read(name)
                self.assertEqual(size, str(len(data)))
                self.assertEqual(base64.urlsafe_b64decode(digest.partition("=")[2] + "="), hashlib.sha256(data).digest())
        modules = [name for name in os.listdir(os.path.join(SOURCES, "tracelathe")) if name.endswith((".py", ".typed"))]
        self.assertEqual(sorted(name for name in names if "dist-info" not in name), sorted("tracelathe/" + m for m in modules))
        self.assertTrue(works_from(wheel))

    def test_the_source_archive_makes_the_same_wheel(self):
        archive = os.path.join(self.at, backend(SOURCES).build_sdist(self.at))
        with tarfile.open(archive) as packed:
            packed.extractall(self.at, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(self.at)
        unpacked = archive[:-len(".tar.gz")]
        built = [os.path.join(place, backend(place).build_wheel(place)) for place in (unpacked,)]
        built.append(os.path.join(self.at, backend(SOURCES).build_wheel(self.at)))
        contents = []
        for path in built:
            with open(path, "rb") as file:
                contents.append(file.read())
        self.assertEqual(*contents)

    def test_pip_installs_the_wheel(self):
        if not importlib.util.find_spec("pip"):
            self.skipTest("pip is not here")
        wheel = os.path.join(self.at, backend(SOURCES).build_wheel(self.at))
        place = os.path.join(self.at, "installed")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
                        "--disable-pip-version-check", "--root-user-action=ignore", "--target", place, wheel], check=True)
        self.assertTrue(works_from(place))


if __name__ == "__main__":
    unittest.main()
