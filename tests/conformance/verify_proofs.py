"""Checks proofs of texts: a verifier written from the page "The format of proofs" alone.

    verify_proofs.py vectors <folders or files>                          runs test vectors
    verify_proofs.py check <lineage file> [--trust file]                 a lineage, and the texts `<version>.md` beside it
    verify_proofs.py bundle <manifest file> <part files> [--trust file]  the whole corpus

It needs Python 3.11 and `cryptography`, and reads nothing but the files that it is given.
"""

import base64
import hashlib
import json
import pathlib
import re
import sys
import time

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
    """A document is not JSON as it must be, or not of its form; `check` is which of the two."""

    def __init__(self, check, detail):
        super().__init__(detail)
        self.check = check


# JSON, canonical form and digests


def read_number(digits):
    """A number as ECMAScript reads it: an int if it is whole and within range, else a float."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) <= MAX_WHOLE else number


def unique_members(pairs):
    """An object, unless a member stands in it twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an object has a member twice")
    return dict(pairs)


def refuse_constant(name):
    """Python would take NaN and Infinity for numbers."""
    raise ValueError(f"{name} is not JSON")


def read_json(text):
    """The value of a JSON text; raises `Bad` for everything that the check `json` refuses."""
    if not isinstance(text, str) or text.startswith("\ufeff"):
        raise Bad("json", "not a text, or one with a byte order mark")
    depth = 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:  # Python's own parser would run out of its stack only much later
            raise Bad("json", f"nested deeper than {MAX_DEPTH}")
    hooks = {"parse_int": read_number, "parse_float": read_number, "parse_constant": refuse_constant}
    try:
        text.encode()
        value = json.loads(text, **hooks, object_pairs_hook=unique_members)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Bad("json", "a text holds half a surrogate pair") from None
    except (ValueError, RecursionError) as error:
        raise Bad("json", str(error)) from None
    return value


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


# Form: a shape is a pattern or a text for texts, an object with shapes of members (optional with `?`), a list for arrays, or a test.


def fits(value, shape):
    """Whether a value has a shape. Objects may have other members besides."""
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            fits(value[name.rstrip("?")], inner) if name.rstrip("?") in value else name.endswith("?") for name, inner in shape.items()
        )
    return shape(value) if callable(shape) else same(value, shape)


def is_whole(value):
    """A whole number within range: `read_number` makes exactly these into ints."""
    return type(value) is int


def is_count(value):
    """A whole number from 0."""
    return is_whole(value) and value >= 0


def whole_numbers(value):
    """Whether all numbers in a statement are whole and within range."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return not isinstance(value, float) and all(map(whole_numbers, inner))


def days_of(year, month):
    """Number of days in a month, or 0 if there is no such month."""
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] + leap if month <= 12 else 0


def is_timestamp(value):
    """A real date and time in UTC."""
    if not fits(value, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")):
        return False
    year, month, day = map(int, value[:10].split("-"))
    return 1 <= day <= days_of(year, month)


def seconds_of(timestamp):
    """Seconds from 1970 to a timestamp."""
    year, month, day, hour, minute, second = map(int, re.findall("[0-9]+", timestamp))
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + sum(days_of(year, m) for m in range(1, month)) + day
    return (((days - 719163) * 24 + hour) * 60 + minute) * 60 + second


TEXT = re.compile(r".*", re.DOTALL)
ID = re.compile(r"(?!.{65})[a-z0-9]+(-[a-z0-9]+)*")
VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
DIGEST = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"sha256:[0-9a-f]{64}")
ISSUED = {"issuer": {"id": TEXT}, "issued": is_timestamp}
SHA256 = {"sha-256": DIGEST}
SIGNATURES = [{"protected": TEXT, "signature": TEXT}]
RECORD = {
    **ISSUED,
    "type": "CapsuleVersion", "$schema": "/schemas/capsule-version/1.json", "id": ID, "version": VERSION,
    "sequence": is_count, "size": is_count, "digest": SHA256, "previous?": {"version": VERSION, "recordDigest": NAME},
    "title": TEXT, "summary": TEXT, "kind": TEXT, "language": TEXT, "evidence": TEXT, "license": TEXT, "tags": [TEXT],
}  # fmt: skip
HEAD = {
    **ISSUED,
    "type": "LineageHead", "$schema": "/schemas/lineage-head/1.json", "id": ID,
    "status": re.compile("current|superseded|retracted"), "statusReason?": TEXT, "supersededBy?": TEXT,
    "head": NAME, "version": VERSION, "count": lambda count: is_count(count) and count > 0, "validUntil?": is_timestamp,
}  # fmt: skip
MANIFEST = {
    **ISSUED,
    "type": "CorpusManifest", "$schema": "/schemas/corpus-manifest/1.json", "corpusDigest": NAME, "validUntil?": is_timestamp,
    "capsules": is_count, "versions": is_count,
    "bundle": {"parts": [{"uri": TEXT, "size": is_whole, "lines": is_whole, "digest": SHA256}]},
    "changes": lambda changes: fits(changes, {"count": is_whole, "digest": NAME}) or fits(changes, {"count": 0, "digest": None}),
}  # fmt: skip


def statement(shape):
    """A statement of a shape, with whole numbers only."""
    return lambda value: fits(value, shape) and whole_numbers(value)


def texts_match(line):
    """Whether a line of the bundle has one text for each record, in their order."""
    return [text["version"] for text in line["texts"]] == [entry["record"]["version"] for entry in line["lineage"]["versions"]]


ENTRY = {"record": statement(RECORD), "recordDigest": NAME, "signatures": SIGNATURES}
LINEAGE = {
    "id": ID,
    "versions": lambda versions: fits(versions, [ENTRY]) and versions != [],
    "head": {"statement": statement(HEAD), "signatures": SIGNATURES},
}
LINE = {"lineage": LINEAGE, "texts": [{"version": TEXT, "markdown": TEXT}]}
QUOTE = {"start": is_whole, "end": is_whole, "text": TEXT}
FORMS = {
    "lineage": LINEAGE,
    "capsule": {"capsule_id": ID, "version": VERSION, "markdown": TEXT, "content_sha256": DIGEST},
    "answer": {"results": [{"capsule_id": ID, "version": VERSION, "content_sha256": DIGEST, "quote": QUOTE}]},
    "manifest": {"statement": statement(MANIFEST), "signatures": SIGNATURES},
    "line": lambda line: fits(line, LINE) and texts_match(line),
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
    if not fits(text, re.compile(r"[A-Za-z0-9_-]*")) or len(text) % 4 == 1:
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
        if fits(document, {"keys": [lambda _: True]}):
            owner = document.get("issuer")
            for key in document["keys"]:
                if fits(key, {"exp?": lambda exp: type(exp) in (int, float)}):
                    self.add(key, key.get("exp"))
        elif fits(document, {"verificationMethod": [lambda _: True], "assertionMethod": [lambda _: True]}):
            owner = document.get("id")
            for method in document["verificationMethod"]:
                if fits(method, {"id": TEXT, "expires?": is_timestamp}) and method["id"] in document["assertionMethod"]:
                    self.add(method.get("publicKeyJwk"), seconds_of(method["expires"]) if "expires" in method else None)
        else:
            return
        self.owner = owner if isinstance(owner, str) else None

    def add(self, key, retired):
        """Adds a JWK if it is a usable key."""
        x = decode_base64url(key["x"], 32) if fits(key, {"kty": "OKP", "crv": "Ed25519", "x": TEXT}) else None
        if x is not None:
            thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'.encode()).digest()
            self.keys.append((x, base64url(thumbprint), retired))

    def signed(self, statement, signatures, kind):
        """Whether one of the signatures of a statement is valid and by a key that is trusted for it."""
        if not self.keys or self.owner not in (None, statement["issuer"]["id"]):
            return False
        payload = base64url(to_bytes(canonical(statement)))
        for x, kid, retired in self.keys:
            if retired is not None and seconds_of(statement["issued"]) > retired:
                continue
            expected = [base64url(f'{{"alg":"{alg}","kid":"{kid}","typ":"{kind}+jws"}}'.encode()) for alg in ("Ed25519", "EdDSA")]
            for protected, data in [(one["protected"], decode_base64url(one["signature"], 64)) for one in signatures]:
                if data is None or protected not in expected:
                    continue
                try:
                    Ed25519PublicKey.from_public_bytes(x).verify(data, f"{protected}.{payload}".encode())
                    return True
                except (InvalidSignature, ValueError):
                    continue
        return False


# Checks


def version_key(version):
    """Orders versions by their numbers, however long these are."""
    return [(len(number), number) for number in version.split(".")]


def digests_of(lineage):
    """The digests of all records of a lineage, oldest first."""
    return [entry["recordDigest"] for entry in lineage["versions"]]


def continues(document, known):
    """Whether a lineage or a manifest continues an older copy of itself."""
    if "head" in document:
        old, new = digests_of(known), digests_of(document)
        return new[: len(old)] == old and document["head"]["statement"]["issued"] >= known["head"]["statement"]["issued"]
    new, old = document["statement"], known["statement"]
    return new["changes"]["count"] >= old["changes"]["count"] and new["issued"] >= old["issued"]


class Verifier:
    """Makes the checks of one proof; `found` has what became of each: None until it is made, and once failed it stays so."""

    def __init__(self, proof, kind):
        self.found = {check: (None, "not made") for check in CHECKS[kind]}
        self.trust = Trust(proof["trust"]) if proof.get("trust") is not None else None
        texts = proof.get("texts")
        self.texts = {at: text for at, text in texts.items() if isinstance(text, str)} if isinstance(texts, dict) else {}
        self.now = proof["now"] if is_timestamp(proof.get("now")) else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
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
            if bad.check == "form":
                self.note("json", True)
            return self.note(bad.check, False, str(bad))
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

    def lineage(self, lineage, asked):
        """All checks that a lineage makes by itself; `asked` has the ids that it must have."""
        id, entries, head = lineage["id"], lineage["versions"], lineage["head"]["statement"]
        statements = [*(entry["record"] for entry in entries), head]
        ok = all(same(one, id) for one in [*asked, *(one["id"] for one in statements)])
        self.note("subject", ok, f"{id} has statements about another, or another was asked for")
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
            address = record.get("canonical")
            if isinstance(address, str) and address in self.texts:
                self.text(record, self.texts[address])
            self.statement(record, entry["signatures"], "capsule-version")
        newest = (entries[-1]["recordDigest"], entries[-1]["record"]["version"], len(entries))
        self.note("head", (head["head"], head["version"], head["count"]) == newest, f"the head of {id} names another record")
        self.statement(head, lineage["head"]["signatures"], "lineage-head")

    def known(self, kind, document, known):
        """`known` of a lineage or a manifest."""
        try:
            self.note("known", continues(document, read(known, kind)), "does not continue the older copy")
        except Bad as bad:
            self.note("known", False, f"the older copy: {bad}")

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
            self.quote(item, self.texts.get(str(record.get("canonical"))))
        else:
            self.text(record, item["markdown"])
            proved |= relations_proved(record, lineage)
            said |= relations_said(item)
        for name in {*proved, *said}:
            ok = name in proved and name in said and same(proved[name], said[name])
            self.note("fields", ok, f"{name} of {item['capsule_id']} is not that of its record or head")

    def quote(self, item, text):
        """`quote` of one result, if the text is given."""
        start, end, quoted = (item["quote"][name] for name in ("start", "end", "text"))
        if text is not None:
            units = text.encode("utf-16-le", "surrogatepass")
            ok = 0 <= start and 0 <= end and units[2 * start : 2 * end] == quoted.encode("utf-16-le")
            self.note("quote", ok, f"the quote of {item['capsule_id']} is not in its text")

    def items(self, items, lineages, asked):
        """A capsule or the results of an answer, with their lineages."""
        loaded = {}
        for item in items:
            id = item["capsule_id"]
            if not isinstance(lineages, dict) or lineages.get(id) is None:
                self.note("fields", False, f"the lineage of {id} is not given")
                continue
            if id not in loaded:
                loaded[id] = self.load(lineages[id], "lineage")
                if loaded[id] is not None:
                    self.lineage(loaded[id], [id, *asked])
            if loaded[id] is not None:
                self.about(item, loaded[id])

    def bundle(self, manifest, parts):
        """`parts`, `corpus`, and all checks of the lineages in a bundle."""
        listed = manifest["bundle"]["parts"]
        self.note("parts", len(parts) == len(listed), f"{len(parts)} parts are given, {len(listed)} are listed")
        split = [part.removesuffix("\n").split("\n") if part else [] for part in parts]
        for part, lines, said in zip(parts, split, listed):
            ok = (len(to_bytes(part)), len(lines), sha256(part)) == (said["size"], said["lines"], said["digest"]["sha-256"])
            self.note("parts", ok, f"{said['uri']} has another size, digest or number of lines")
        capsules = [self.load(line, "line") for lines in split for line in lines]
        lineages = [capsule["lineage"] for capsule in capsules if capsule is not None]
        for capsule in filter(None, capsules):
            self.lineage(capsule["lineage"], [])
            for entry, text in zip(capsule["lineage"]["versions"], capsule["texts"]):
                self.text(entry["record"], text["markdown"])
        if None in capsules:
            return
        ids = [lineage["id"] for lineage in lineages]
        self.note("corpus", ids == sorted(set(ids)), "ids do not ascend")
        counts = (len(lineages), sum(len(lineage["versions"]) for lineage in lineages))
        self.note("corpus", counts == (manifest["capsules"], manifest["versions"]), "another number of capsules or versions")
        corpus = []
        for lineage in lineages:
            head = lineage["head"]["statement"]
            state = {name: head[name] for name in ("status", "statusReason", "supersededBy") if name in head}
            names = [name_of(entry["record"]) for entry in lineage["versions"]]
            corpus.append({"id": lineage["id"], **state, "versions": names})
        self.note("corpus", name_of(corpus) == manifest["corpusDigest"], "another corpus than the manifest's")


def objects(items):
    """Objects of an array; an empty one for whatever else stands there, or instead of it."""
    return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else [{}]


def relations_proved(record, lineage):
    """What a capsule must say of what it rests on and of its versions, in the words of the records."""
    derived = objects(record.get("derivedFrom", []))
    source = {"key": "key", "url": "uri", "title": "title", "publisher": "publisher", "retrieved": "retrieved"}
    revised = [one.get("relation") == "wasRevisionOf" for one in derived]
    entries = [(entry["record"], entry["recordDigest"]) for entry in lineage["versions"]]
    return {
        "sources": [{name: one[of] for name, of in source.items() if of in one} for one in derived if "key" in one],
        "supersedes": [one.get("uri") for one, is_revised in zip(derived, revised) if is_revised],
        "derived_from": [one.get("uri") for one, is_revised in zip(derived, revised) if not is_revised and "key" not in one],
        "cites": record.get("cites", []),
        "versions": [[one["version"], one["issued"], one["digest"]["sha-256"], digest] for one, digest in entries],
    }


def relations_said(capsule):
    """What a capsule says of the same."""
    source = ("key", "url", "title", "publisher", "retrieved")
    pages = {name: capsule.get(name) if isinstance(capsule.get(name), list) else [None] for name in ("derived_from", "cites")}
    pages["supersedes"] = [one.get("capsule_id") for one in objects(capsule.get("supersedes"))]
    return {
        "sources": [{name: one[name] for name in source if name in one} for one in objects(capsule.get("sources"))],
        **{name: [f"/capsules/{id}" for id in ids] for name, ids in pages.items()},
        "versions": [
            [one.get("version"), f"{one.get('issued')}T00:00:00Z", one.get("content_sha256"), one.get("record_digest")]
            for one in objects(capsule.get("versions"))
        ],
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
    kind = kind_of(proof.get("document"))
    verifier = Verifier(proof, kind)
    document = verifier.load(proof.get("document"), kind)
    asked = [] if proof.get("id") is None or kind == "answer" else [proof["id"]]
    if document is not None and kind == "lineage":
        verifier.lineage(document, asked)
    elif document is not None and kind == "manifest":
        verifier.statement(document["statement"], document["signatures"], "corpus-manifest")
        if isinstance(proof.get("parts"), list):
            verifier.bundle(document["statement"], list(map(str, proof["parts"])))
    elif document is not None:
        verifier.items(document["results"] if kind == "answer" else [document], proof.get("lineages"), asked)
    if document is not None and kind in ("lineage", "manifest") and proof.get("known") is not None:
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
        expected = {name: vector["expect"].get(name) for name in got}
        differ += got != expected
        print(f"ok {vector['name']}" if got == expected else f"FAIL {vector['name']}: expected {expected} got {got}")
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
    files = {one["canonical"]: path.with_name(f"{one['version']}.md") for one in records if isinstance(one.get("canonical"), str)}
    return {address: read_file(file) for address, file in files.items() if file.is_file()}


def main(arguments):
    """Runs the command line and gives the exit code."""
    command, *rest = arguments or [""]
    trust = None
    try:
        if "--trust" in rest[:-1]:
            at = rest.index("--trust")
            trust = read_file(rest[at + 1])
            del rest[at : at + 2]
        if command == "vectors" and rest:
            return run_vectors(rest)
        if command not in ("check", "bundle") or not rest or (command == "check" and len(rest) > 1):
            print(__doc__, file=sys.stderr)
            return 3
        proof = {"document": read_file(rest[0]), "trust": trust}
        if command == "check":
            proof["texts"] = texts_beside(pathlib.Path(rest[0]), proof["document"])
        else:
            proof["parts"] = [read_file(path) for path in rest[1:]]
    except OSError as error:
        print(error, file=sys.stderr)
        return 3
    kind, checks = verify(proof)
    print(kind)
    for check, ok, detail in checks:
        print({True: "ok  ", False: "FAIL", None: "-   "}[ok], check, detail)
    return exit_code(checks, trust is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
