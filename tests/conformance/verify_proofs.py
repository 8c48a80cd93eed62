"""Checks proofs of texts: a verifier written from the page "The format of proofs" alone.

    verify_proofs.py vectors <folders or files>                          runs test vectors
    verify_proofs.py check <lineage file> [--trust file]                 a lineage, and the texts `<version>.md` beside it
    verify_proofs.py bundle <manifest file> <part files> [--trust file]  the whole corpus

It needs Python 3.11 and `cryptography`, and reads nothing but the files that it is given.
"""

import base64
import datetime
import hashlib
import json
import pathlib
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHAIN = ["json", "form", "subject", "records", "chain", "head", "fresh"]
CHECKS = {  # the checks that apply to each kind of document, in the order of the table
    "lineage": [*CHAIN, "known", "text", "signature"],
    "capsule": [*CHAIN, "text", "fields", "signature"],
    "answer": [*CHAIN, "text", "fields", "quote", "signature"],
    "manifest": [*CHAIN, "known", "text", "parts", "corpus", "signature"],
}
MAX_WHOLE = 2**53 - 1
MAX_DEPTH = 64


class Bad(Exception):
    """A document fails `json` or `form`: the first argument says which, the second why."""


# JSON, canonical form and digests


def read_number(digits):
    """A number as ECMAScript reads it: an int if it is whole and within range, else a float."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) <= MAX_WHOLE else number


def refuse(why):
    """Refuses what Python would take for JSON: NaN and Infinity, and a member that stands twice."""
    raise ValueError(f"not JSON: {why}")


def read_json(text):
    """The value of a JSON text; raises `Bad` for everything that the check `json` refuses."""
    if not isinstance(text, str) or text.startswith("\ufeff"):
        raise Bad("json", "not a text, or one with a byte order mark")
    depth = 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:  # before Python's parser runs out of stack
            raise Bad("json", f"nested deeper than {MAX_DEPTH}")
    try:
        text.encode()
        value = json.loads(
            text,
            parse_int=read_number,
            parse_float=read_number,
            parse_constant=refuse,
            object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else refuse("a member stands twice"),
        )
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError:
        raise Bad("json", "a text holds half a surrogate pair") from None
    except ValueError as error:
        raise Bad("json", str(error)) from None


def canonical(value):
    """The canonical form (RFC 8785) of a value whose numbers are whole."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def same(one, other):
    """Whether two values are the same JSON; Python alone would take true for 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def to_bytes(text):
    """UTF-8 of a text; half a surrogate pair gives bytes that are no text's."""
    return text.encode("utf-8", "surrogatepass")


def sha256(text):
    """Digest of a text, in lower-case hexadecimal digits."""
    return hashlib.sha256(to_bytes(text)).hexdigest()


def name_of(statement):
    """The name of a statement."""
    return "sha256:" + sha256(canonical(statement))


# Form


def fits(value, shape):
    """Whether a value has a shape: a pattern for texts, a list for arrays, a test, or another value to be the same as.

    The shape of an object has those of its members; a name with `?` is that of one which may be absent, and others may be there.
    """
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, dict):
        named = [(name.rstrip("?"), name.endswith("?"), inner) for name, inner in shape.items()]
        return isinstance(value, dict) and all(fits(value[n], inner) if n in value else absent for n, absent, inner in named)
    return shape(value) if callable(shape) else same(value, shape)


def moment(timestamp):
    """Seconds from 1970 to a timestamp; None if it is none, or not a real date."""
    if not fits(timestamp, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")):
        return None
    year, *rest = map(int, re.findall("[0-9]+", timestamp))
    near = 2000 + year % 400  # 400 years have 146097 days, and Python knows no year 0
    try:
        return int(datetime.datetime(near, *rest, tzinfo=datetime.UTC).timestamp()) + (year - near) // 400 * 146097 * 86400
    except ValueError:
        return None


def whole_numbers(value):
    """Whether all numbers in a statement are whole and within range: `read_number` makes only these into ints."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return not isinstance(value, float) and all(map(whole_numbers, inner))


def whole_from(least):
    """The shape of a whole number that is not smaller."""
    return lambda value: type(value) is int and value >= least


def statement(type, schema, members):
    """The shape of a statement."""
    issued = {"issuer": {"id": TEXT}, "issued": is_timestamp}
    shape = {"type": type, "$schema": f"/schemas/{schema}/1.json", **issued, **members}
    return lambda value: fits(value, shape) and whole_numbers(value)


def is_timestamp(value):
    """The shape of a timestamp."""
    return moment(value) is not None


TEXT = re.compile(".*", re.DOTALL)
ID = re.compile("(?!.{65})[a-z0-9]+(-[a-z0-9]+)*")
VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
HEX = re.compile("[0-9a-f]{64}")
NAME = re.compile("sha256:[0-9a-f]{64}")
COUNT, WHOLE = whole_from(0), whole_from(-MAX_WHOLE)
DIGEST = {"sha-256": HEX}
SIGNATURES = [{"protected": TEXT, "signature": TEXT}]
RECORD = {
    "id": ID, "version": VERSION, "sequence": COUNT, "size": COUNT, "digest": DIGEST,
    "previous?": {"version": VERSION, "recordDigest": NAME},
    "title": TEXT, "summary": TEXT, "kind": TEXT, "language": TEXT, "evidence": TEXT, "license": TEXT, "tags": [TEXT],
}  # fmt: skip
HEAD = {
    "id": ID, "status": re.compile("current|superseded|retracted"), "statusReason?": TEXT, "supersededBy?": TEXT,
    "head": NAME, "version": VERSION, "count": whole_from(1), "validUntil?": is_timestamp,
}  # fmt: skip
MANIFEST = {
    "corpusDigest": NAME, "capsules": COUNT, "versions": COUNT, "validUntil?": is_timestamp,
    "bundle": {"parts": [{"uri": TEXT, "size": WHOLE, "lines": WHOLE, "digest": DIGEST}]},
    "changes": lambda changes: fits(changes, {"count": WHOLE, "digest": NAME}) or fits(changes, {"count": 0, "digest": None}),
}  # fmt: skip
ENTRY = {"record": statement("CapsuleVersion", "capsule-version", RECORD), "recordDigest": NAME, "signatures": SIGNATURES}
LINEAGE = {
    "id": ID,
    "versions": lambda versions: versions != [] and fits(versions, [ENTRY]),
    "head": {"statement": statement("LineageHead", "lineage-head", HEAD), "signatures": SIGNATURES},
}
LINE = {"lineage": LINEAGE, "texts": [{"version": TEXT, "markdown": TEXT}]}
ITEM = {"capsule_id": ID, "version": VERSION, "content_sha256": HEX}
FORMS = {
    "lineage": LINEAGE,
    "capsule": {**ITEM, "markdown": TEXT},
    "answer": {"results": [{**ITEM, "quote": {"start": WHOLE, "end": WHOLE, "text": TEXT}}]},
    "manifest": {"statement": statement("CorpusManifest", "corpus-manifest", MANIFEST), "signatures": SIGNATURES},
    "line": lambda line: fits(line, LINE)
    and [text["version"] for text in line["texts"]] == [entry["record"]["version"] for entry in line["lineage"]["versions"]],
}


def read(text, kind):
    """A document of a kind; raises `Bad` if it is none."""
    value = read_json(text)
    if not fits(value, FORMS[kind]):
        raise Bad("form", f"not the form of a {kind}")
    return value


# Signatures


def base64url(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text, size):
    """Bytes of exactly this number, if they are written in the one right way; else None."""
    if not fits(text, re.compile("[A-Za-z0-9_-]*")) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if len(data) == size and base64url(data) == text else None


class Trust:
    """Keys that are trusted, with their retirement, and the identity whose they are, if one is named."""

    def __init__(self, text):
        self.keys = []
        try:
            document = read_json(text)
        except Bad:
            return
        anything = [lambda _: True]
        if fits(document, {"keys": anything}):
            self.owner = document.get("issuer")
            for key in document["keys"]:
                if fits(key, {"exp?": lambda exp: type(exp) in (int, float)}):
                    self.add(key, key.get("exp"))
        elif fits(document, {"verificationMethod": anything, "assertionMethod": anything}):
            self.owner = document.get("id")
            for method in document["verificationMethod"]:
                if fits(method, {"id": TEXT, "expires?": is_timestamp}) and method["id"] in document["assertionMethod"]:
                    self.add(method.get("publicKeyJwk"), moment(method.get("expires")))

    def add(self, key, retired):
        """Adds a JWK if it is a usable key."""
        x = decode_base64url(key.get("x"), 32) if fits(key, {"kty": "OKP", "crv": "Ed25519"}) else None
        if x is not None:
            thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'.encode()).digest()
            self.keys.append((x, base64url(thumbprint), retired))

    def signed(self, statement, signatures, kind):
        """Whether one of the signatures of a statement is valid and by a key that is trusted for it."""
        if not self.keys or (isinstance(self.owner, str) and self.owner != statement["issuer"]["id"]):
            return False
        payload = base64url(to_bytes(canonical(statement)))
        for x, kid, retired in self.keys:
            if retired is not None and moment(statement["issued"]) > retired:
                continue
            expected = [base64url(f'{{"alg":"{alg}","kid":"{kid}","typ":"{kind}+jws"}}'.encode()) for alg in ("Ed25519", "EdDSA")]
            for one in signatures:
                data = decode_base64url(one["signature"], 64)
                if data is None or one["protected"] not in expected:
                    continue
                try:
                    Ed25519PublicKey.from_public_bytes(x).verify(data, f"{one['protected']}.{payload}".encode())
                    return True
                except (InvalidSignature, ValueError):
                    continue
        return False


# Checks


class Verifier:
    """Makes the checks of one proof; `found` has what became of each: None until it is made, and once failed it stays so."""

    def __init__(self, proof, kind):
        self.found = {check: (None, "not made") for check in CHECKS[kind]}
        self.trust = Trust(proof["trust"]) if proof.get("trust") is not None else None
        self.texts = proof.get("texts") or {}
        self.now = proof.get("now") or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
        if self.trust and not self.trust.keys:
            self.note("signature", False, "no usable key was found in the trust")

    def note(self, check, ok, detail=""):
        """Records one finding; `detail` says what is wrong if it is not `ok`."""
        if self.found[check][0] is not False:
            self.found[check] = (True, "") if ok else (False, detail)

    def load(self, text, kind):
        """Reads a document, with its checks `json` and `form`; None if one of them fails."""
        try:
            value = read(text, kind)
        except Bad as bad:
            check, why = bad.args
            self.note("json", check != "json", why)
            return self.note(check, False, why)
        self.note("json", True)
        self.note("form", True)
        return value

    def statement(self, statement, signatures, kind):
        """`fresh` and `signature` of one statement."""
        until = statement.get("validUntil") if kind != "capsule-version" else None
        if until is not None:
            self.note("fresh", self.now <= until and statement["issued"] <= until, f"was valid until {until}")
        if self.trust:
            ok = self.trust.signed(statement, signatures, kind)
            self.note("signature", ok, f"no valid signature by a trusted key: {kind} {statement.get('id', '')}")

    def text(self, record, text):
        """`text` of one text and its record."""
        ok = len(to_bytes(text)) == record["size"] and sha256(text) == record["digest"]["sha-256"]
        self.note("text", ok, f"not the text of {record['id']} {record['version']}")

    def text_at(self, record):
        """The text that was given for a record, if one was."""
        address = record.get("canonical")
        return self.texts.get(address) if isinstance(address, str) else None

    def lineage(self, lineage, asked):
        """All checks that a lineage makes by itself; `asked` has the ids that it must have."""
        id, entries, head = lineage["id"], lineage["versions"], lineage["head"]["statement"]
        statements = [*(entry["record"] for entry in entries), head]
        self.note("subject", {id, *asked, *(one["id"] for one in statements)} == {id}, f"{id} is not what all is about")
        self.note("subject", len({one["issuer"]["id"] for one in statements}) == 1, f"{id} has several issuers")
        for position, entry in enumerate(entries):
            record = entry["record"]
            where = f"{record['id']} {record['version']}"
            self.note("records", name_of(record) == entry["recordDigest"], f"the record of {where} has another digest")
            linked = record["sequence"] == position and ("previous" in record) == (position > 0)
            if linked and position > 0:
                before, named = entries[position - 1], record["previous"]
                version = before["record"]["version"]
                linked = (named["version"], named["recordDigest"]) == (version, before["recordDigest"])
                linked = linked and version_key(version) < version_key(record["version"])
            self.note("chain", linked, f"{where} does not follow the one before")
            if self.text_at(record) is not None:
                self.text(record, self.text_at(record))
            self.statement(record, entry["signatures"], "capsule-version")
        newest = (entries[-1]["recordDigest"], entries[-1]["record"]["version"], len(entries))
        self.note("head", (head["head"], head["version"], head["count"]) == newest, f"the head of {id} names another record")
        self.statement(head, lineage["head"]["signatures"], "lineage-head")

    def known(self, kind, document, known):
        """`known` of a lineage or a manifest."""
        try:
            self.note("known", continues(kind, document, read(known, kind)), "does not continue the older copy")
        except Bad as bad:
            self.note("known", False, f"the older copy: {bad.args[1]}")

    def about(self, item, lineage):
        """All checks of a capsule or of one result of an answer against its lineage."""
        entry = next((entry for entry in lineage["versions"] if entry["record"]["version"] == item["version"]), None)
        if entry is None:
            return self.note("fields", False, f"{item['capsule_id']} {item['version']} has no record")
        record, head = entry["record"], lineage["head"]["statement"]
        proved = {name: record[name] for name in ("title", "summary", "language", "evidence", "tags", "license")}
        proved |= {"type": record["kind"], "content_sha256": record["digest"]["sha-256"], "updated": record["issued"]}
        states = {"status": "status", "status_reason": "statusReason", "superseded_by": "supersededBy"}
        proved |= {name: head[of] for name, of in states.items() if of in head}
        said = {name: item[name] for name in {*proved, *states} if name in item}
        said["license"] = f"https://spdx.org/licenses/{said.get('license')}"
        said["updated"] = f"{said.get('updated')}T00:00:00Z"
        if "quote" in self.found:
            self.quote(item, self.text_at(record))
        else:
            self.text(record, item["markdown"])
            proved |= relations_proved(record, lineage)
            said |= relations_said(item)
        for name in {*proved, *said}:
            ok = name in proved and name in said and same(proved[name], said[name])
            self.note("fields", ok, f"{name} of {item['capsule_id']} is not that of its record or head")

    def quote(self, item, text):
        """`quote` of one result, if the text is given."""
        if text is not None:
            start, end, quoted = (item["quote"][name] for name in ("start", "end", "text"))
            units = text.encode("utf-16-le", "surrogatepass")
            inside = 0 <= start <= end <= len(units) // 2
            ok = inside and units[2 * start : 2 * end] == quoted.encode("utf-16-le")
            self.note("quote", ok, f"the quote of {item['capsule_id']} is not in its text")

    def items(self, items, lineages, asked):
        """A capsule or the results of an answer, with their lineages."""
        loaded = {}
        for item in items:
            id = item["capsule_id"]
            if asked:
                self.note("subject", asked == [id], f"{id} is not what was asked for")
            if id in lineages and id not in loaded:
                loaded[id] = self.load(lineages[id], "lineage")
                if loaded[id] is not None:
                    self.lineage(loaded[id], [id])
            lineage = loaded.get(id)
            if lineage is not None:
                self.about(item, lineage)
            else:
                self.note("fields", False, f"no lineage of {id} is given that can be read")

    def bundle(self, manifest, parts):
        """`parts`, `corpus`, and all checks of the lineages in a bundle."""
        listed = manifest["bundle"]["parts"]
        self.note("parts", len(parts) == len(listed), f"{len(parts)} parts are given, {len(listed)} are listed")
        split = [part.removesuffix("\n").split("\n") if part else [] for part in parts]
        for part, lines, said in zip(parts, split, listed):
            ok = (len(to_bytes(part)), len(lines), sha256(part)) == (said["size"], said["lines"], said["digest"]["sha-256"])
            self.note("parts", ok, f"{said['uri']} has another size, digest or number of lines")
        corpus = []
        for capsule in [self.load(line, "line") for lines in split for line in lines]:
            corpus.append(None)
            if capsule is not None:
                lineage, head = capsule["lineage"], capsule["lineage"]["head"]["statement"]
                self.lineage(lineage, [])
                for entry, text in zip(lineage["versions"], capsule["texts"]):
                    self.text(entry["record"], text["markdown"])
                state = {name: head[name] for name in ("status", "statusReason", "supersededBy") if name in head}
                corpus[-1] = {"id": lineage["id"], **state, "versions": [entry["recordDigest"] for entry in lineage["versions"]]}
        if None not in corpus:
            ids, versions = [one["id"] for one in corpus], sum(len(one["versions"]) for one in corpus)
            self.note("corpus", ids == sorted(set(ids)), "ids do not ascend")
            self.note("corpus", (len(ids), versions) == (manifest["capsules"], manifest["versions"]), "other counts than the manifest's")
            self.note("corpus", name_of(corpus) == manifest["corpusDigest"], "another corpus than the manifest's")


def version_key(version):
    """Orders versions by their numbers, however long these are."""
    return [(len(number), number) for number in version.split(".")]


def continues(kind, document, known):
    """Whether a lineage or a manifest continues an older copy of itself."""
    if kind == "manifest":
        new, old = document["statement"], known["statement"]
        return new["changes"]["count"] >= old["changes"]["count"] and new["issued"] >= old["issued"]
    new, old = ([entry["recordDigest"] for entry in one["versions"]] for one in (document, known))
    return new[: len(old)] == old and document["head"]["statement"]["issued"] >= known["head"]["statement"]["issued"]


SOURCE = {"key": "key", "url": "uri", "title": "title", "publisher": "publisher", "retrieved": "retrieved"}


def objects(items):
    """Objects of an array; an empty one for whatever else stands there, or instead of it."""
    return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else [{}]


def relations_proved(record, lineage):
    """What a capsule must say of what it rests on and of its versions, in the words of the records."""
    derived = objects(record.get("derivedFrom", []))
    revised = [one for one in derived if one.get("relation") == "wasRevisionOf"]
    entries = [(entry["record"], entry["recordDigest"]) for entry in lineage["versions"]]
    return {
        "sources": [{name: one[of] for name, of in SOURCE.items() if of in one} for one in derived if "key" in one],
        "supersedes": [one.get("uri") for one in revised],
        "derived_from": [one.get("uri") for one in derived if one not in revised and "key" not in one],
        "cites": record.get("cites", []),
        "versions": [[one["version"], one["issued"], one["digest"]["sha-256"], digest] for one, digest in entries],
    }


def relations_said(capsule):
    """What a capsule says of the same."""
    pages = {name: capsule.get(name) if isinstance(capsule.get(name), list) else [None] for name in ("derived_from", "cites")}
    pages["supersedes"] = [one.get("capsule_id") for one in objects(capsule.get("supersedes"))]
    versions = objects(capsule.get("versions"))
    return {
        "sources": [{name: one[name] for name in SOURCE if name in one} for one in objects(capsule.get("sources"))],
        "versions": [
            [one.get("version"), f"{one.get('issued')}T00:00:00Z", one.get("content_sha256"), one.get("record_digest")] for one in versions
        ],
        **{name: [f"/capsules/{id}" for id in ids] for name, ids in pages.items()},
    }


def kind_of(text):
    """What a document is, by its members: a lineage if it is none of the others."""
    try:
        document = read_json(text)
    except Bad:
        return "lineage"
    kinds = {"results": "answer", "statement": "manifest", "capsule_id": "capsule"}
    return next((kind for member, kind in kinds.items() if isinstance(document, dict) and member in document), "lineage")


def verify(proof):
    """Checks a proof: the kind of its document, and a list of (check, whether it holds or None if it was not made, what is wrong).

    Members of a proof: `document`, and where there are such `lineages` by id, `texts` by address, `parts` of the bundle in order,
    the `id` that was asked for, a `known` older copy, `trust`, and the time `now`. All documents are texts.
    """
    kind = kind_of(proof["document"])
    verifier = Verifier(proof, kind)
    document = verifier.load(proof["document"], kind)
    asked = [] if proof.get("id") is None or kind == "answer" else [proof["id"]]
    if document is not None:
        if kind == "lineage":
            verifier.lineage(document, asked)
        elif kind == "manifest":
            verifier.statement(document["statement"], document["signatures"], "corpus-manifest")
            if proof.get("parts") is not None:
                verifier.bundle(document["statement"], proof["parts"])
        else:
            verifier.items(document["results"] if kind == "answer" else [document], proof.get("lineages") or {}, asked)
        if "known" in verifier.found and proof.get("known") is not None:
            verifier.known(kind, document, proof["known"])
    return kind, [(check, ok, detail) for check, (ok, detail) in verifier.found.items()]


def exit_code(checks, trust_given):
    """The outcome of checks as a number, from 0 to 2."""
    failed = [check for check, ok, _ in checks if ok is False]
    if any(check != "signature" for check in failed):
        return 1
    return 2 if trust_given and failed else 0


# Command line


def run_vectors(paths):
    """Runs test vectors, prints a line for each, and at last their number."""
    files = [file for path in map(pathlib.Path, paths) for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    differ = 0
    for file in files:
        vector = json.loads(file.read_bytes())
        _, checks = verify(vector)
        got = {"exit": exit_code(checks, vector.get("trust") is not None), "failed": [check for check, ok, _ in checks if ok is False]}
        differ += got != vector["expect"]
        print(f"ok {vector['name']}" if got == vector["expect"] else f"FAIL {vector['name']}: expected {vector['expect']} got {got}")
    print(len(files))
    return 1 if differ else 0


def read_file(path):
    """A file as text; bytes that are not UTF-8 become halves of surrogate pairs, which no check lets through."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "surrogateescape")


def texts_beside(path, document):
    """Those texts of a lineage that are files beside it, by their addresses."""
    try:
        records = [entry["record"] for entry in read(document, "lineage")["versions"]]
    except Bad:
        return {}
    files = {one["canonical"]: pathlib.Path(path).with_name(f"{one['version']}.md") for one in records if fits(one, {"canonical": TEXT})}
    return {address: read_file(file) for address, file in files.items() if file.is_file()}


def main(command="", *paths):
    """Runs the command line and gives the exit code."""
    files, trust = list(paths), None
    try:
        if "--trust" in files[:-1]:
            at = files.index("--trust")
            _, trust = files.pop(at), read_file(files.pop(at))
        if command == "vectors" and files:
            return run_vectors(files)
        if command == "check" and len(files) == 1:
            document = read_file(files[0])
            proof = {"document": document, "trust": trust, "texts": texts_beside(files[0], document)}
        elif command == "bundle" and files:
            proof = {"document": read_file(files[0]), "trust": trust, "parts": [read_file(path) for path in files[1:]]}
        else:
            print(__doc__, file=sys.stderr)
            return 3
    except OSError as error:
        print(error, file=sys.stderr)
        return 3
    kind, checks = verify(proof)
    print(kind)
    for check, ok, detail in checks:
        print({True: "ok  ", False: "FAIL", None: "-   "}[ok], check, detail)
    return exit_code(checks, trust is not None)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
