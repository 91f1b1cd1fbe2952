#!/usr/bin/env python3
"""Bodies against the request types of the Python packages openai, anthropic and google-genai.

Every prompt that can be bound (language.md section 1's example, the standard library, the corpus) is
compiled to the three bodies; each body, and each of its messages and tools by its own type, since the
packages' lists validate lazily, must be accepted. Then faults are planted into accepted bodies and
each must be rejected. Schemas inside bodies must be valid JSON Schema (package jsonschema).

    tests/conform/run.py --seedc=build/seedc [--corpus=DIR] [-v]      prints N passed, N failed
"""
import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import typing

import jsonschema
import pydantic
from anthropic.types import MessageParam, TextBlockParam, ToolParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as genai
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FORMS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}


def adapter(kind):
    return pydantic.TypeAdapter(kind)


class Types:
    """One adapter per type, made once."""
    openai_body = adapter(CompletionCreateParamsNonStreaming)
    openai_message = adapter(ChatCompletionMessageParam)
    openai_tool = adapter(ChatCompletionToolParam)
    anthropic_body = adapter(MessageCreateParamsNonStreaming)
    anthropic_message = adapter(MessageParam)
    anthropic_tool = adapter(ToolParam)
    anthropic_text = adapter(TextBlockParam)


def known_keys(kind):
    return set(typing.get_type_hints(kind))


def want_keys(what, value, allowed):
    unknown = set(value) - set(allowed)
    if unknown:
        raise ValueError(f"{what}: no field {sorted(unknown)}")


def drain(value):
    """Reads what validates lazily: an iterator raises its errors only when it is read."""
    if isinstance(value, dict):
        return {k: drain(v) for k, v in value.items()}
    if isinstance(value, (str, bytes, int, float, bool)) or value is None:
        return value
    try:
        return [drain(v) for v in value]
    except TypeError:
        return value


def check_schema(schema, closed):
    jsonschema.Draft202012Validator.check_schema(schema)
    if closed:
        for node in objects_of(schema):
            if node.get("additionalProperties") is not False:
                raise ValueError("an object of a strict schema is open")


def objects_of(schema):
    if isinstance(schema, list):
        for item in schema:
            yield from objects_of(item)
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for key, value in schema.items():
            if key not in ("enum", "const", "default", "examples"):
                yield from objects_of(value)


def check_openai(body):
    want_keys("body", body, known_keys(CompletionCreateParamsNonStreaming))
    drain(Types.openai_body.validate_python(body))
    roles = []
    for message in body["messages"]:
        drain(Types.openai_message.validate_python(message))
        roles.append(message["role"])
        if isinstance(message.get("content"), list) and not message["content"]:
            raise ValueError("empty content list")
    for tool in body.get("tools", []):
        drain(Types.openai_tool.validate_python(tool))
        check_schema(tool["function"]["parameters"], tool["function"].get("strict", False))
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        check_schema(form["json_schema"]["schema"], form["json_schema"].get("strict", False))
        if form["json_schema"]["schema"].get("type") != "object":
            raise ValueError("the root of a strict schema is no object")


def check_anthropic(body):
    want_keys("body", body, known_keys(MessageCreateParamsNonStreaming))
    drain(Types.anthropic_body.validate_python(body))
    if isinstance(body.get("system"), list):
        for block in body["system"]:
            drain(Types.anthropic_text.validate_python(block))
    for message in body["messages"]:
        drain(Types.anthropic_message.validate_python(message))
        if message["content"] in ("", []):
            raise ValueError("empty content")
    for tool in body.get("tools", []):
        drain(Types.anthropic_tool.validate_python(tool))
        check_schema(tool["input_schema"], tool.get("strict", False))
    if body.get("messages", [{}])[0].get("role") != "user":
        raise ValueError("the first message is not the user's")
    if json.dumps(body).count('"cache_control":') > 4:
        raise ValueError("more than four cache breakpoints")
    form = body.get("output_config", {}).get("format")
    if form:
        check_schema(form["schema"], True)


GEMINI_KEYS = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent"]


def check_gemini(body):
    want_keys("body", body, GEMINI_KEYS)
    for content in body["contents"]:
        genai.Content.model_validate(content)
        if content.get("role") not in ("user", "model"):
            raise ValueError(f"role {content.get('role')}")
        if not content["parts"]:
            raise ValueError("empty parts")
    if "systemInstruction" in body:
        genai.Content.model_validate(body["systemInstruction"])
    for tool in body.get("tools", []):
        genai.Tool.model_validate(tool)
        for function in tool.get("functionDeclarations", []):
            check_schema(function["parametersJsonSchema"], False)
    if "generationConfig" in body:
        genai.GenerationConfig.model_validate(body["generationConfig"])
        if "responseJsonSchema" in body["generationConfig"]:
            check_schema(body["generationConfig"]["responseJsonSchema"], False)


CHECK = {"openai": check_openai, "anthropic": check_anthropic, "gemini": check_gemini}

# ---- planted faults --------------------------------------------------------------------------------


def first_message(body):
    return body["contents" if "contents" in body else "messages"][0]


def faults(form):
    """(name, function that spoils a body, or returns False where it does not apply)."""
    def rename_role(body):
        first_message(body)["role"] = "customer"

    def drop_messages(body):
        del body["contents" if form == "gemini" else "messages"]

    def unknown_key(body):
        body["mesages"] = []

    def content_number(body):
        first_message(body)["parts" if form == "gemini" else "content"] = 7

    def string_max(body):
        key = {"openai": "max_completion_tokens", "anthropic": "max_tokens"}.get(form)
        if form == "gemini":
            body.setdefault("generationConfig", {})["maxOutputTokens"] = "many"
        else:
            body[key] = "many"

    def part_without_type(body):
        first_message(body)["parts" if form == "gemini" else "content"] = [{"txet": "x"}]

    def bad_tool(body):
        body["tools"] = [{"functionDeclarations": [{"nmae": "x"}]}] if form == "gemini" else [{"nmae": "x"}]

    def bad_schema(body):
        schema = {"type": "objekt"}
        if form == "openai":
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        elif form == "anthropic":
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        else:
            body.setdefault("generationConfig", {})["responseJsonSchema"] = schema

    return [rename_role, drop_messages, unknown_key, content_number, string_max, part_without_type, bad_tool, bad_schema]


# ---- prompts ---------------------------------------------------------------------------------------

SAMPLES = {
    "text": "some text", "bool": "true", "int": "1", "number": "1", "json": "{}", "docs": '[{"title":"T","text":"X"}]',
    "turns": '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Go on"}]',
    "image": "https://example.com/a.png", "file": "https://example.com/a.pdf",
}


def sample(kind):
    """A value for an input of that type, as spelled in the source; None where we know none."""
    kind = kind.strip()
    if kind.startswith("enum("):
        return kind[5:].split(",")[0].split(")")[0].strip().strip('"')
    if kind.startswith("["):
        inner = sample(kind[1:].split("]")[0])
        if inner is None:
            return None
        plain = kind[1:].split("]")[0].split()[0] not in ("int", "number", "bool", "json")
        return json.dumps([inner]) if plain else f"[{inner}]"
    word = kind.replace("|", " ").split()[0] if kind else ""
    if word == "int" and ".." in kind:
        low = kind.split("..")[0].split()[-1]
        return low if low.lstrip("-").isdigit() else "1"
    return SAMPLES.get(word)


def inputs_of(path):
    """`in NAME: TYPE` and stages of a source's first prompt, its own file only."""
    n_prompt = 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        n_prompt += line.startswith("prompt ")
        if n_prompt > 1:
            return
        if line.startswith("in ") and ":" in line:
            name, kind = line[3:].split(":", 1)
            if " = " not in kind:
                yield name.strip().rstrip("?"), kind
        if line.startswith("stage "):
            yield line[6:].split(":")[0].split()[0], "text"


def bodies(seedc, path, form, target, values, extra=()):
    """The bodies of a prompt, or None and why it cannot be bound."""
    sets = [arg for name, value in values for arg in ("--set", f"{name}={value}")]
    run = subprocess.run([seedc, f"--emit={form}", f"--target={target}", "--unbound=show", *sets, *extra, str(path)],
                         capture_output=True, text=True, timeout=60)
    if "no user message" in run.stderr and not extra:
        return bodies(seedc, path, form, target, values, ("--user", "Hello"))
    if run.returncode:
        said = run.stderr.strip().splitlines()
        return None, next((line for line in said if line.startswith("error")), said[-1] if said else "no message")
    return [json.loads(line) for line in run.stdout.splitlines()], None


class Count:
    def __init__(self, verbose):
        self.passed = self.failed = self.skipped = 0
        self.verbose = verbose

    def ok(self, what):
        self.passed += 1
        if self.verbose:
            print("ok", what)

    def skip(self, what, why):
        self.skipped += 1
        print(f"skip {what}: {why[:160]}")

    def bad(self, what, why):
        self.failed += 1
        print(f"FAIL {what}: {str(why)[:400]}")


def run_body(count, form, body, what):
    try:
        CHECK[form](body)
    except Exception as why:  # every kind of refusal counts
        count.bad(what, why)
        return
    count.ok(what)
    for spoil in faults(form):
        bad = copy.deepcopy(body)
        if spoil(bad) is False:
            continue
        try:
            CHECK[form](bad)
        except Exception:
            count.ok(f"{what}, {spoil.__name__}")
        else:
            count.bad(f"{what}, {spoil.__name__}", "a planted fault was accepted")


def prompts(corpus, folder):
    """The example, a caller of each library module (tests/stdlib has them all), the corpus."""
    yield from sorted((HERE / "data").glob("*.sd"))
    for golden in sorted((ROOT / "tests/stdlib").glob("*.sd")):
        path = folder / golden.name
        path.write_text(golden.read_text(encoding="utf-8").split("%% test\n")[0], encoding="utf-8")
        yield path
    if corpus and corpus.is_dir():
        yield from sorted((corpus / "sd").glob("*.sd"))


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--seedc", default=str(ROOT / "build/seedc"))
    args.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared/corpus")
    args.add_argument("-v", action="store_true")
    args = args.parse_args()
    count = Count(args.v)
    with tempfile.TemporaryDirectory() as folder:
        run_all(count, args, pathlib.Path(folder))
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"{count.passed} passed, {count.failed} failed{skipped}")
    sys.exit(1 if count.failed or not count.passed else 0)


def run_all(count, args, folder):
    for path in prompts(args.corpus, folder):
        values = []
        for name, kind in inputs_of(path):
            value = sample(kind)
            if value is not None:
                values.append((name, value))
        for form, target in FORMS.items():
            found, why = bodies(args.seedc, path, form, target, values)
            what = f"{path.name} {form}"
            if found is None:
                # Foreign prompts may be wrong; the example and the library are not.
                if args.corpus in path.parents:
                    count.skip(what, why)
                else:
                    count.bad(what, why)
                continue
            for i, body in enumerate(found):
                run_body(count, form, body, f"{what} {i + 1}")


if __name__ == "__main__":
    main()
