#!/usr/bin/env python3
"""Refreshes the facts of runtime/target/*.json that age: windows, output limits, prices, cache minima,
prefill, sampling and end dates of models.

They come from the data file of the Python package litellm, installed in a virtual environment outside
the tree:   python3 -m venv DIR && DIR/bin/pip install litellm && DIR/bin/python runtime/target/refresh.py

Only members of "models" that have a "litellm" key change, and "source" and "date" of their files; the
rest (roles, templates, schema subsets, setting tables) is written by hand. The output is
deterministic: the same package and --date give the same bytes. --check only says what would change.
"""
import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import pathlib
import sys
from decimal import Decimal

DATA = "model_prices_and_context_window_backup.json"
FACTS = ["window", "max_output", "cache_min_tok", "prefill", "sampling", "mid_system", "deprecated", "prices"]
WIDTH = 96


def load_litellm():
    spec = importlib.util.find_spec("litellm")
    if not spec:
        sys.exit("refresh.py: the package litellm is not installed here (see the top of this file)")
    path = pathlib.Path(spec.origin).parent / DATA
    return json.loads(path.read_text(), parse_float=Decimal), importlib.metadata.version("litellm")


def plain(number):
    """The shortest spelling without an exponent."""
    text = format(Decimal(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


class Spelled(float):
    """A number that prints as it was spelled."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __repr__(self):
        return self.text


def prices(row):
    """US dollars per million tokens."""
    names = [("input", "input_cost_per_token"), ("output", "output_cost_per_token"),
             ("cache_read", "cache_read_input_token_cost"), ("cache_write", "cache_creation_input_token_cost"),
             ("cache_write_1h", "cache_creation_input_token_cost_above_1hr")]
    return {name: Spelled(plain(Decimal(row[key]) * 1000000)) for name, key in names if row.get(key)}


def facts(row):
    new = {"window": row.get("max_input_tokens"), "max_output": row.get("max_output_tokens"),
           "deprecated": row.get("deprecation_date"), "prices": prices(row)}
    if row.get("prompt_cache_min_tokens"):
        new["cache_min_tok"] = int(row["prompt_cache_min_tokens"])
    if "supports_assistant_prefill" in row:
        new["prefill"] = row["supports_assistant_prefill"]
    if row.get("supports_sampling_params") is False:
        new["sampling"] = False
    if row.get("supports_mid_conversation_system"):
        new["mid_system"] = True
    return {name: new[name] for name in FACTS if new.get(name) not in (None, {})}


def dump(value, indent=0):
    """JSON that breaks a line only where it must."""
    if isinstance(value, Spelled):
        return value.text
    flat = json.dumps(value, ensure_ascii=False)
    if isinstance(value, (dict, list)):
        flat = dump_flat(value)
    if not isinstance(value, (dict, list)) or (indent and len(flat) + indent <= WIDTH):
        return flat
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        body = [f"{pad}{json.dumps(k, ensure_ascii=False)}: {dump(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(body) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + dump(v, indent + 1) for v in value) + "\n" + " " * indent + "]"


def dump_flat(value):
    if isinstance(value, Spelled):
        return value.text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {dump_flat(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump_flat, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def refresh(family, data, version, date):
    changed = False
    for model in family["models"]:
        key = model.get("litellm")
        if not key:
            continue
        if key not in data:
            sys.exit(f"refresh.py: {model['name']}: litellm {version} has no {key!r}")
        new = facts(data[key])
        old = {name: model[name] for name in FACTS if name in model}
        changed |= dump(old) != dump(new)
        for name in FACTS:
            model.pop(name, None)
        model.update(new)
    if any("litellm" in model for model in family["models"]):
        source = f"litellm {version}, {DATA}"
        changed |= family.get("source") != source
        family["source"] = source
        if changed or not family.get("date"):
            family["date"] = date
    return changed


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--date", default=datetime.date.today().isoformat())
    args.add_argument("--check", action="store_true", help="change nothing; exit 1 if something would change")
    args = args.parse_args()
    data, version = load_litellm()
    stale = []
    for path in sorted(pathlib.Path(__file__).parent.glob("*.json")):
        old = path.read_text()
        family = json.loads(old, parse_float=Spelled)
        if "models" not in family:
            continue
        if refresh(family, data, version, args.date):
            stale.append(path.name)
        if not args.check:
            path.write_text(dump(family) + "\n")
    print(f"litellm {version}: {', '.join(stale) if stale else 'nothing'} changed")
    sys.exit(1 if args.check and stale else 0)


if __name__ == "__main__":
    main()
