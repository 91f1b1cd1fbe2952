#!/usr/bin/env python3
"""L6.10: a request body that is compiled and emitted for its own provider is the same canonical JSON, numbers
as spelled. One body a line of BODIES; a bare array of messages comes back as the `messages` of a body."""
import json
import os
import subprocess
import sys

SEEDC = os.environ["SEEDC"]

OPENAI = [
    r'{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}',
    r'{"model":"gpt-4o-2024-11-20","temperature":0.70,"top_p":1.0,"max_tokens":1e2,"seed":-7,"stop":["###"],"stream":true,'
    r'"messages":[{"role":"developer","content":"D"},{"role":"user","content":"a\u00e9\ud83d\ude00\n"},{"role":"user","content":""}]}',
    r'{"model":"m","messages":[{"role":"system","content":"S {{x}}\n!IF y"},{"role":"user","name":"bob","content":[{"type":"text","text":"hi"},'
    r'{"type":"image_url","image_url":{"url":"https://example.org/y.png"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",'
    r'"function":{"name":"a","arguments":"{\"q\": 1.50}"}}]},{"role":"tool","tool_call_id":"c1","content":"r"}],"tool_choice":"auto"}',
    r'{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"b","strict":false,"parameters":{"type":"object",'
    r'"properties":{"q":{"type":"string"}}}}},{"type":"function","function":{"name":"a","description":"d","parameters":{"type":"object","properties":{},'
    r'"additionalProperties":false,"required":[]}}}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object"}}}}',
    r'{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"a","description":"d","parameters":{"type":"object",'
    r'"properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}}}]}',
    r'{"model":"m","messages":[{"role":"user","content":"u"}],"response_format":{"json_schema":{"schema":{"title":"T","description":"d","properties":{"b":{"type":"string"},'
    r'"a":{"type":["integer","null"]}},"required":["b"],"type":"object"},"name":"text","description":"e","strict":false},"type":"json_schema"}}',
    r'{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","not":{"unknown":1}}}}],'
    r'"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","patternProperties":{"^a":{}},"unknown":true}}}}',
    r'{"model":"m","messages":[{"role":"user","content":"u"}],"metadata":{"z":null,"a":[1.0,{"k":"\u0001"}]},"logit_bias":{"50256":-100},"user":"x"}',
    r'{"model":"m","messages":[{"role":"assistant","content":"first"},{"role":"system","content":"late"},{"role":"user","content":"a\r\nb"}]}',
]
ANTHROPIC = [
    r'{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}',
    r'{"model":"claude-sonnet-4-5-20250929","max_tokens":1e3,"system":"S\n\n","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},'
    r'{"role":"user","content":"c"}],"stop_sequences":["x"],"temperature":0.50,"top_k":5}',
    r'{"model":"claude-sonnet-4-5","max_tokens":9,"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}},{"type":"text","text":"T"}],'
    r'"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}],'
    r'"tools":[{"name":"b","input_schema":{"type":"object"}},{"name":"a","description":"d","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}]}',
    r'{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"q":1.0}}]}],'
    r'"metadata":{"user_id":"u"},"thinking":{"type":"enabled","budget_tokens":1024}}',
    r'{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"a"}],"output_config":{"effort":"low","format":{"schema":{"title":"int","type":"object",'
    r'"properties":{"n":{"minimum":1.0,"type":"integer"}}},"type":"json_schema"}},"tools":[{"name":"t","strict":true,"input_schema":{"type":"object","properties":{}}}]}',
]


def canonical(text):
    def number(spelled):
        return "#" + spelled
    return json.dumps(json.loads(text, parse_int=number, parse_float=number), sort_keys=True)


def emit(kind, text):
    with open("body.json", "w", encoding="utf-8") as f:
        f.write(text)
    r = subprocess.run([SEEDC, "--emit=" + kind, "body.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return r.stdout.decode(), r.stderr.decode()


def main():
    passed = failed = 0
    cases = [("openai", t, t) for t in OPENAI] + [("anthropic", t, t) for t in ANTHROPIC]
    for text in OPENAI:
        body = json.loads(text)
        if set(body) == {"model", "messages"}:
            cases.append(("openai", json.dumps(body["messages"]), json.dumps({"messages": body["messages"]})))
    for kind, given, want in cases:
        got, err = emit(kind, given)
        try:
            same = canonical(got) == canonical(want)
            if given.startswith("["):
                same = canonical(json.dumps(json.loads(got)["messages"])) == canonical(given)
        except ValueError:
            same = False
        passed += same
        failed += not same
        if not same:
            print("given %s\ngot   %s\n%s" % (given, got, err))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
