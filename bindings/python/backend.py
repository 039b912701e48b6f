# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel and the source archive (PEP 517, PEP 427): pure Python, so nothing but the standard library is needed.

The same sources give the same bytes: names are sorted, and times are those of $SOURCE_DATE_EPOCH or 1980."""
import base64
import gzip
import hashlib
import io
import os
import tarfile
import time
import tomllib
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# What the source archive has beside the package.
SOURCES = ("README.md", "backend.py", "pyproject.toml")
PACKAGE = "tracelathe"


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def _files():
    """{name in the archive: bytes} of the package."""
    folder = os.path.join(HERE, PACKAGE)
    names = sorted(name for name in os.listdir(folder) if name.endswith((".py", ".typed")))
    return {PACKAGE + "/" + name: _read(os.path.join(folder, name)) for name in names}


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _seconds():
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)  # zip files begin in 1980


def _metadata():
    about = _project()
    head = ["Metadata-Version: 2.1", "Name: " + about["name"], "Version: " + about["version"],
            "Summary: " + about["description"], "License: " + about["license"]["text"],
            "Requires-Python: " + about["requires-python"], "Description-Content-Type: text/markdown"]
    return ("\n".join(head) + "\n\n").encode() + _read(os.path.join(HERE, "README.md"))


def _record(files, name):
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d" % (path, digest, len(data)))
    return ("\n".join(lines + [name + ",,"]) + "\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = _project()
    base = "%s-%s" % (about["name"], about["version"])
    info = base + ".dist-info/"
    files = _files()
    files[info + "METADATA"] = _metadata()
    files[info + "WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tracelathe\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[info + "RECORD"] = _record(files, info + "RECORD")
    name = base + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(_seconds())[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    about = _project()
    base = "%s-%s" % (about["name"], about["version"])
    files = {name: _read(os.path.join(HERE, name)) for name in SOURCES}
    files.update(_files())
    files["PKG-INFO"] = _metadata()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(base + "/" + path)
            entry.size, entry.mtime, entry.mode = len(data), _seconds(), 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(os.path.join(sdist_directory, base + ".tar.gz"), "wb") as file:
        file.write(gzip.compress(packed.getvalue(), mtime=0))
    return base + ".tar.gz"
