"""Reads what CI gets from verdicts with the tools of others, and says as JSON what they have seen; fails with an exception.

Usage: reads.py FOLDER, with any of junit.xml, summary.md, and verdict.dsse.json with key.pub.
"""

import base64
import json
import sys
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from junitparser import Error, Failure, JUnitXml, Skipped
from lxml import etree, html
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

folder = Path(sys.argv[1])
seen = {}


def junit(path):
    schema = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))
    schema.assertValid(etree.parse(path))
    document = JUnitXml.fromfile(str(path))
    stated = (document.tests, document.failures, document.errors)
    suites = []
    for suite in document:
        counts = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert counts == (suite.tests, suite.failures, suite.errors, suite.skipped), (suite.name, counts)
        cases = []
        for case in suite:
            kinds = [type(result) for result in case.result]
            assert len(kinds) <= 1 and case.classname == suite.name, case.name
            names = {Failure: "failure", Error: "error", Skipped: "skipped"}
            text = [(result.type, result.message, result.text) for result in case.result]
            cases.append({"name": case.name, "result": names[kinds[0]] if kinds else "passed", "text": text})
        names = {(case["name"]) for case in cases}
        assert len(names) == len(cases), f"cases of {suite.name} have names of their own"
        suites.append({"name": suite.name, "cases": cases, "properties": {p.name: p.value for p in suite.properties()}})
    document.update_statistics()
    assert stated == (document.tests, document.failures, document.errors), stated
    return suites


def markdown(path):
    # As GitHub renders it, but for its filter of HTML: whatever got through would be seen.
    page = html.fromstring("<div>" + cmarkgfm.github_flavored_markdown_to_html(path.read_text(), options=Options.CMARK_OPT_UNSAFE) + "</div>")
    texts = lambda tag: [" ".join(e.text_content().replace("\u200b", "").split()) for e in page.iter(tag)]
    rows = [[" ".join(c.text_content().replace("\u200b", "").split()) for c in row] for row in page.iter("tr")]
    return {"tags": sorted({e.tag for e in page.iter() if isinstance(e.tag, str)}), "rows": rows, "headings": texts("h2") + texts("h3"), "items": texts("li"),
            "comments": len(list(page.iter(etree.Comment))), "text": page.text_content()}


def envelope(path, key_path):
    data = json.loads(path.read_bytes())
    key = load_pem_public_key(key_path.read_bytes())
    payload = base64.b64decode(data["payload"], validate=True)
    (signature,) = data["signatures"]
    kind = data["payloadType"].encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    key.verify(base64.b64decode(signature["sig"], validate=True), message)
    try:
        key.verify(base64.b64decode(signature["sig"]), message + b" ")
        raise AssertionError("a changed message verifies")
    except InvalidSignature:
        pass
    trusted = SSlibKey.from_crypto(key, keyid=signature["keyid"])
    # It takes the dictionary apart, so it comes last.
    accepted = Envelope.from_dict(data).verify([trusted], 1)
    return {"accepted": list(accepted), "statement": json.loads(payload)}


if (folder / "junit.xml").exists():
    seen["junit"] = junit(folder / "junit.xml")
if (folder / "summary.md").exists():
    seen["markdown"] = markdown(folder / "summary.md")
if (folder / "verdict.dsse.json").exists():
    seen["envelope"] = envelope(folder / "verdict.dsse.json", folder / "key.pub")
json.dump(seen, sys.stdout)
