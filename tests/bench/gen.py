#!/usr/bin/env python3
"""Writes prompts of a given size, the same bytes each time.

usage: gen.py project DIR BYTES     a folder of .sd files of about 2 KB and one library each uses
       gen.py file PATH BYTES       one .sd file of many prompts
       gen.py body PATH BYTES       one .sd file with one long body
       gen.py markdown PATH BYTES   one Markdown prompt
       gen.py messages PATH BYTES   one request body of many messages
       gen.py yaml PATH BYTES       one prompt.yaml of many messages
       gen.py baml DIR BYTES        the project's prompts again, as BAML functions and classes
"""
import json
import os
import random
import sys

WORDS = """ticket customer parcel order refund invoice product account delivery address reply question answer detail
summary reason record field label report version change result message language sentence policy document source""".split()
VERBS = "describe name list compare quote check explain repeat translate rank count summarise".split()
SYSTEMS = ("web", "ios", "android")


def sentence(rng):
    return "%s the %s of each %s before the %s." % (
        rng.choice(VERBS).capitalize(), rng.choice(WORDS), rng.choice(WORDS), rng.choice(WORDS))


def paragraph(rng, n, indent="  "):
    return "".join("%s%s %s\n" % (indent, sentence(rng), sentence(rng)) for _ in range(n))


def prompt_text(i, include):
    """One prompt of about 2 KB."""
    rng = random.Random(i)
    out = ['prompt p%06d v1.%d "Triage one support ticket"\ntarget gpt-4o\n\n' % (i, i % 10)]
    out.append("in product: enum(web, ios, android)\nin ticket: text max 1500 tok\nin glossary?: text\n\n")
    out.append("role @static:\n  You triage support tickets for our {{product}} app.\n" + paragraph(rng, 4) + "\n")
    out.append(include)
    for k, force in enumerate(("must", "should", "never")):
        out.append("constraint rule_%d %s:\n  %s\n" % (k, force, sentence(rng)))
    out.append("\nexample first:\n  user: %s\n  assistant: {\"severity\": \"high\", \"quotes\": [\"%s\"]}\n\n" % (
        sentence(rng), rng.choice(WORDS)))
    out.append("user @turn:\n  !IF product == ios\n  The customer is on a phone.\n  !END\n")
    out.append("  !IF has glossary\n  Words of ours: {{glossary | xml}}\n  !END\n")
    out.append(paragraph(rng, 5) + "  {{ticket | xml}}\n\n")
    out.append('schema Verdict:\n  severity: enum(low, high, critical)  "how bad for the customer"\n'
               '  owner?: text  "team, when it is clear"\n  quotes: [text] 1..3  "exact words"\n\n')
    out.append("reply Verdict max 300 tok\n")
    return "".join(out)


def baml_text(i):
    rng = random.Random(i)
    out = ['class Verdict%06d {\n  severity "low" | "high" | "critical" @description("how bad for the customer")\n'
           '  owner string? @description("team, when it is clear")\n'
           '  quotes string[] @description("exact words")\n}\n' % i]
    out.append('function P%06d(product: "web" | "ios" | "android", ticket: string, glossary: string?) -> Verdict%06d {\n'
               '  client Gpt\n  prompt #"\n    {{ _.role("system") }}\n' % (i, i))
    out.append("    You triage support tickets for our {{ product }} app.\n" + paragraph(rng, 4, "    ") + "\n")
    for force in ("Must", "Should", "Never"):
        out.append("    - %s: %s\n" % (force, sentence(rng)))
    out.append('    {{ _.role("user") }}\n    %s\n    {{ _.role("assistant") }}\n' % sentence(rng))
    out.append('    {"severity": "high", "quotes": ["%s"]}\n' % rng.choice(WORDS))
    out.append('    {{ _.role("user") }}\n    {% if product == "ios" %}\n    The customer is on a phone.\n    {% endif %}\n')
    out.append("    {% if glossary %}\n    Words of ours: {{ glossary }}\n    {% endif %}\n")
    out.append(paragraph(rng, 5, "    ") + '    {{ ticket }}\n    {{ ctx.output_format }}\n  "#\n}\n')
    return "".join(out)


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(text)


def make_project(folder, n_bytes):
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "voice.sd"), "block plain:\n  Answer in plain words.\n")
    i = done = 0
    while done < n_bytes:
        text = "use voice (plain)\n\n" + prompt_text(i, "!INCLUDE[plain]\n\n")
        write(os.path.join(folder, "p%06d.sd" % i), text)
        i, done = i + 1, done + len(text)
    return i


def make_file(path, n_bytes):
    done = i = 0
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        while done < n_bytes:
            text = prompt_text(i, "") + "\n"
            f.write(text)
            i, done = i + 1, done + len(text)


def make_long(path, n_bytes, head, indent):
    rng, done = random.Random(0), 0
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(head)
        while done < n_bytes:
            text = paragraph(rng, 8, indent) + "\n"
            f.write(text)
            done += len(text)


def make_messages(path, n_bytes):
    rng, done, i = random.Random(0), 0, 0
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write('{"model": "gpt-4o", "messages": [\n')
        while done < n_bytes:
            content = json.dumps(paragraph(rng, 8, ""))
            text = '%s  {"role": "%s", "content": %s}' % (",\n" if i else "", ("user", "assistant")[i % 2], content)
            f.write(text)
            i, done = i + 1, done + len(text)
        f.write("\n]}\n")


def make_yaml(path, n_bytes):
    rng, done, i = random.Random(0), 0, 0
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write("prompt: long\nmessages:\n")
        while done < n_bytes:
            text = "  - role: %s\n    text: |\n%s" % (("user", "assistant")[i % 2], paragraph(rng, 8, "      "))
            f.write(text)
            i, done = i + 1, done + len(text)


def make_baml(folder, n_bytes):
    """As many functions as make_project writes prompts for the same size."""
    to = os.path.join(folder, "baml_src")
    os.makedirs(to, exist_ok=True)
    write(os.path.join(to, "client.baml"), 'client<llm> Gpt {\n  provider openai\n  options {\n    model "gpt-4o"\n'
          '    api_key env.OPENAI_API_KEY\n  }\n}\n')
    i = done = 0
    while done < n_bytes:
        write(os.path.join(to, "p%06d.baml" % i), baml_text(i))
        done += len("use voice (plain)\n\n" + prompt_text(i, "!INCLUDE[plain]\n\n"))
        i += 1


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__.strip())
    what, path, n_bytes = argv[0], argv[1], int(argv[2])
    make = {"project": make_project, "file": make_file, "baml": make_baml, "messages": make_messages,
            "yaml": make_yaml,
            "body": lambda p, n: make_long(p, n, "prompt long\n\nuser:\n", "  "),
            "markdown": lambda p, n: make_long(p, n, "# Rules\n\n", "")}.get(what)
    if not make:
        sys.exit(__doc__.strip())
    make(path, n_bytes)


if __name__ == "__main__":
    main(sys.argv[1:])
