"""The texts that tests/bench/tokens.py encodes, gathered from this machine in an order of their own."""
import glob
import gzip
import hashlib
import os
import subprocess

# A quarter of the text from each: folders and the ends of names.
SOURCES = (
    ("Python's library", "/usr/lib/python3*", (".py",)),
    ("C headers", "/usr/include", (".h", ".hpp", "")),
    ("package documentation", "/usr/share/doc", ("",)),
    ("Perl's modules and manual", "/usr/share/perl*", (".pod", ".pm")),
)
SHARE, LEAST = 9_000_000, 30_000_000
FILE_LEAST, FILE_MOST = 256, 500_000
MANUALS = ("manpages-zh", "manpages-ja")


def text_of(path):
    """The bytes of a text file, or of what gzip packed; None for anything else."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        try:
            data = f.read(FILE_MOST + 1)
            data.decode()
        except (OSError, EOFError, UnicodeDecodeError):
            return None
    return data if FILE_LEAST <= len(data) <= FILE_MOST and b"\0" not in data else None


def files_under(pattern):
    for root in glob.glob(pattern):
        for folder, _, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in names)


def share_of(pattern, ends):
    """(key, text) of files in the order of their names' hashes, so that a share has something of every folder."""
    found = [p for p in files_under(pattern) if p.endswith(ends)]
    taken, n = [], 0
    for key, path in sorted((hashlib.sha256(os.fsencode(p)).digest(), p) for p in found):
        data = text_of(path)
        if data and n < SHARE:
            taken.append((key, data))
            n += len(data)
        if n >= SHARE:
            break
    return taken


def write_mix(path):
    """Prose and code, the sources mixed."""
    parts = sorted(part for _, pattern, ends in SOURCES for part in share_of(pattern, ends))
    data = b"".join(text for _, text in parts)
    if len(data) < LEAST:
        raise OSError("this machine has %d bytes of prose and code, not %d" % (len(data), LEAST))
    with open(path, "wb") as f:
        f.write(data)


def write_prompts(path, mix):
    """The first 4 MB."""
    with open(mix, "rb") as f:
        data = f.read(4_000_000)
    with open(path, "wb") as f:
        f.write(data.decode(errors="ignore").encode())


def write_manuals(path):
    """Chinese and Japanese manual pages, of Debian's packages as apt has them."""
    folder = path + ".parts"
    os.makedirs(folder, exist_ok=True)
    for name in MANUALS:
        subprocess.run(["apt-get", "download", "-q", name], cwd=folder, check=True, capture_output=True)
        deb = glob.glob(os.path.join(folder, name + "_*.deb"))[0]
        subprocess.run(["dpkg-deb", "-x", deb, os.path.join(folder, name)], check=True)
    with open(path, "wb") as out:
        for name in MANUALS:
            for page in sorted(files_under(os.path.join(folder, name, "usr/share/man"))):
                out.write(text_of(page) or b"")
