"""What the tests of tests/model share: seedc run once, what is checked of it, and the end."""
import os
import subprocess
import sys

os.environ["SEEDC_CACHE_DIR"] = os.path.join(os.getcwd(), "cache")
os.environ.pop("SEEDC_MODEL", None)
faults = []
count = 0


def check(what, ok, got=""):
    global count
    count += 1
    if not ok:
        faults.append("%s: %s" % (what, got))


def seedc(*args, stdin="", cwd=None, **env):
    """Status, standard output, standard error."""
    p = subprocess.run([os.environ["SEEDC"], *args], capture_output=True, input=stdin.encode(), cwd=cwd, check=False,
                       env=dict(os.environ, **env))
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def run(*args, **more):
    """A tiny model by the template of SmolLM2."""
    return seedc("run", "--model", "tiny.gguf", "--target=smollm2", *args, **more)


def write(name, data):
    with open(name, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return name


def read(name):
    with open(name, "rb") as f:
        return f.read()


def finish():
    print("\n".join(faults))
    print("%d passed, %d failed" % (count - len(faults), len(faults)))
    sys.exit(bool(faults))
