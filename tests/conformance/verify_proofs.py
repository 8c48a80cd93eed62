"""Checks proofs of texts: a verifier written from the page "The format of proofs" alone.

    verify_proofs.py vectors <folders or files>                          runs test vectors
    verify_proofs.py stream                                              reads a proof a line as JSON, writes its outcome as one
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
    """Ends the checks with one that fails: the first argument says which, the second why."""


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


ABSENT = object()


def same(one, other):
    """Whether two values are the same JSON, or both absent; Python alone would take true for 1."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def member(value, name):
    """A member of an object; absent if there is none, or no object."""
    return value.get(name, ABSENT) if isinstance(value, dict) else ABSENT


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
    """Seconds from 1970 to a timestamp; None if it is none, or not a real date of the years 1 to 9999, which are those of Python."""
    if not fits(timestamp, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")):
        return None
    try:
        return int(datetime.datetime(*map(int, re.findall("[0-9]+", timestamp)), tzinfo=datetime.UTC).timestamp())
    except ValueError:
        return None


def whole_numbers(value):
    """Whether all numbers in a statement are whole and within range: `read_number` makes only these into ints."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return not isinstance(value, float) and all(map(whole_numbers, inner))


def statement(schema, members=None):
    """The shape of a statement."""
    shape = {"$schema": f"/schemas/{schema}/1.json", "issuer": {"id": TEXT}, "issued": is_timestamp, "validUntil?": is_timestamp}
    return lambda value: fits(value, {**shape, **(members or {})}) and whole_numbers(value)


def is_timestamp(value):
    """The shape of a timestamp."""
    return moment(value) is not None


def is_paid(item):
    """Whether a capsule or a result says that its text is sold."""
    return same(member(item, "access"), "paid")


TEXT = re.compile(".*", re.DOTALL)
ID = re.compile("(?!.{65})[a-z0-9]+(-[a-z0-9]+)*")
VERSION = re.compile(r"(?!.{33})(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
RECORD = statement("capsule-version", {"version": VERSION, "canonical": TEXT})
LINEAGE = {
    "id": ID,
    "versions": lambda versions: versions != [] and fits(versions, [{"record": RECORD, "recordDigest": TEXT}]),
    "head": {"statement": statement("lineage-head")},
}
TOMBSTONE = {
    "id": ID,
    "versions": lambda versions: versions == [],
    "head": {"statement": statement("tombstone", {"versions": [{"recordDigest": TEXT}]})},
}
FORMS = {
    "lineage": lambda lineage: fits(lineage, LINEAGE) or fits(lineage, TOMBSTONE),
    "capsule": lambda capsule: fits(capsule, {"markdown": TEXT}) or fits(capsule, {"access": "paid"}) and "markdown" not in capsule,
    "answer": {"results": [{}]},
    "manifest": {"statement": statement("corpus-manifest")},
    "line": lambda line: fits(line, {"lineage": LINEAGE, "texts": [{"markdown": lambda markdown: markdown is None or fits(markdown, TEXT)}]})
    and len(line["texts"]) >= len(line["lineage"]["versions"]),
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


ARRAY = [lambda _: True]
KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "x": lambda x: decode_base64url(x, 32) is not None,
    "use?": "sig",
    "alg?": re.compile("Ed25519|EdDSA"),
    "key_ops?": lambda names: isinstance(names, list) and "verify" in names,
    "exp?": lambda exp: type(exp) is int and exp >= 0,
}


class Trust:
    """Keys that are trusted, with their retirement, and the identity whose they are, if one is named."""

    def __init__(self, text):
        self.keys = []
        try:
            document = read_json(text)
        except Bad:
            return
        if fits(document, {"keys": ARRAY, "issuer?": TEXT}):
            self.owner = document.get("issuer")
            for key in document["keys"]:
                self.add(key)
        elif fits(document, {"id": TEXT, "verificationMethod": ARRAY, "assertionMethod": ARRAY}) and "keys" not in document:
            self.owner = document["id"]
            for method in document["verificationMethod"]:
                asserts = fits(method, {"id": TEXT, "expires?": is_timestamp}) and method["id"] in document["assertionMethod"]
                if asserts and "revoked" not in method:
                    self.add(method.get("publicKeyJwk"), moment(method.get("expires")))

    def add(self, key, expires=None):
        """Adds a JWK if it is a key that can be used, until the earlier of its `exp` and `expires`."""
        if fits(key, KEY):
            thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'.encode()).digest()
            ends = [end for end in (key.get("exp"), expires) if end is not None]
            self.keys.append((decode_base64url(key["x"], 32), base64url(thumbprint), min(ends, default=None)))

    def signed(self, statement, signatures, kind):
        """Whether one of the signatures of a statement is valid and by a key that is trusted for it."""
        if not self.keys or self.owner not in (None, statement["issuer"]["id"]):
            return False
        payload = base64url(to_bytes(canonical(statement)))
        for x, kid, retired in self.keys:
            if retired is not None and moment(statement["issued"]) > retired:
                continue
            expected = [base64url(f'{{"alg":"{alg}","kid":"{kid}","typ":"{kind}+jws"}}'.encode()) for alg in ("Ed25519", "EdDSA")]
            for one in signatures[:8]:
                if not fits(one, {"protected": TEXT, "signature": TEXT}):
                    continue
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
        self.lineages = []
        self.now = proof.get("now") or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
        if self.trust and not self.trust.keys:
            self.note("signature", False, "no usable key was found in the trust")

    def note(self, check, ok, detail=""):
        """Records one finding; `detail` says what is wrong if it is not `ok`."""
        if self.found[check][0] is not False:
            self.found[check] = (True, "") if ok else (False, detail)

    def load(self, text, kind):
        """Reads a document, with its checks `json` and `form`; raises `Bad` if one of them fails."""
        value = read(text, kind)
        self.note("json", True)
        self.note("form", True)
        return value

    def statement(self, statement, signatures, kind):
        """`fresh` and `signature` of one statement."""
        until = statement.get("validUntil")
        if until is not None:
            self.note("fresh", is_timestamp(self.now) and self.now <= until and statement["issued"] <= until, f"was valid until {until}")
        if self.trust:
            if not isinstance(signatures, list):
                raise Bad("form", f"no list of signatures: {kind}")
            ok = self.trust.signed(statement, signatures, kind)
            self.note("signature", ok, f"no valid signature by a trusted key: {kind} {statement.get('id', '')}")

    def text(self, record, text):
        """`text` of one text and its record."""
        self.note("text", is_described(text, record), f"not the text of {record.get('id')} {record['version']}")

    def text_at(self, record):
        """The text that was given for a record, if one was."""
        return self.texts.get(record["canonical"])

    def lineage(self, lineage, asked):
        """All checks that a lineage makes by itself; `asked` is the id that it must have."""
        id, entries, head = lineage["id"], lineage["versions"], lineage["head"]["statement"]
        for position, entry in enumerate(entries):
            record = entry["record"]
            where = f"{id} {record['version']}"
            self.statement(record, entry.get("signatures"), "capsule-version")
            one_issuer = record["issuer"]["id"] == head["issuer"]["id"]
            self.note("subject", same(member(record, "id"), asked) and one_issuer, f"{where} is about another or by another")
            self.note("records", same(member(entry, "recordDigest"), name_of(record)), f"the record of {where} has another digest")
            self.note("chain", follows(record, entries[:position]), f"{where} does not follow the one before")
            if self.text_at(record) is not None:
                self.text(record, self.text_at(record))
        self.statement(head, lineage["head"].get("signatures"), "lineage-head" if entries else "tombstone")
        self.note("subject", id == asked and same(member(head, "id"), asked), f"{id} is not what was asked for")
        if not entries:
            absent = member(head, "head") is ABSENT and member(head, "version") is ABSENT
            return self.note("head", absent and same(member(head, "count"), 0), f"the tombstone of {id} names a record as the newest")
        newest = {"head": entries[-1].get("recordDigest"), "version": entries[-1]["record"]["version"], "count": len(entries)}
        ok = all(same(member(head, name), value) for name, value in newest.items())
        self.note("head", ok, f"the head of {id} names another record")

    def known(self, kind, document, known):
        """`known` of a lineage or a manifest."""
        try:
            ok = continues(kind, document, read(known, kind))
        except (Bad, KeyError, TypeError, IndexError):
            ok = False
        self.note("known", ok, "does not continue the older copy")

    def about(self, item, kind):
        """All checks of a capsule or of one result of an answer against its lineage."""
        id, version = member(item, "capsule_id"), member(item, "version")
        lineage = next((one for one in self.lineages if same(one["id"], id)), None)
        entries = lineage["versions"] if lineage else []
        record = next((entry["record"] for entry in entries if same(entry["record"]["version"], version)), None)
        if record is None:
            return self.note("fields", False, f"{id} {version} has no record")
        if kind == "capsule":
            if "markdown" in item:
                self.text(record, item["markdown"])
        elif not is_paid(item):
            self.quote(item, self.text_at(record))
        elif fits(record, {"summary?": TEXT}):
            self.quote(item, record.get("summary"))
        else:
            raise Bad("form", f"the summary of {id} is no text")
        try:
            differing = [name for name, said, proved in claims(item, record, lineage, kind == "capsule") if not same(said, proved)]
        except (AttributeError, KeyError, TypeError):
            differing = ["something that is not of the right form"]
        self.note("fields", not differing, f"{', '.join(differing)} of {id} {version}")

    def quote(self, item, text):
        """`quote` of one result and its `answer`, if the text is given."""
        for part in () if text is None else (item.get("quote"), item.get("answer", item.get("quote"))):
            if not isinstance(part, dict):
                raise Bad("form", "a result without a quote")
            start, end, quoted = (part.get(name) for name in ("start", "end", "text"))
            units = text.encode("utf-16-le", "surrogatepass")
            ok = type(start) is int and type(end) is int and isinstance(quoted, str) and 0 <= start <= end <= len(units) // 2
            ok = ok and units[2 * start : 2 * end] == quoted.encode("utf-16-le")
            self.note("quote", ok, f"the quote of {item['capsule_id']} is not in its text")

    def items(self, items, kind, lineages, asked):
        """A capsule or the results of an answer, with all lineages that were given."""
        for id, text in lineages.items():
            lineage = self.load(text, "lineage")
            self.lineages.append(lineage)
            self.lineage(lineage, id)
        for item in items:
            id = member(item, "capsule_id")
            self.note("subject", asked is None or same(id, asked), f"{id} is not what was asked for")
            self.about(item, kind)

    def bundle(self, manifest, parts):
        """`parts`, `corpus`, and all checks of the lineages in a bundle."""
        listed = member(member(manifest, "bundle"), "parts")
        if listed is ABSENT:
            raise Bad("form", "a manifest without parts")
        self.note("parts", isinstance(listed, list) and len(parts) == len(listed), f"{len(parts)} parts are given, not those that are listed")
        listed = listed if isinstance(listed, list) else []
        corpus = []
        for position, part in enumerate(parts):
            said = listed[position] if position < len(listed) else None
            lines = part.removesuffix("\n").split("\n") if part else []
            ok = is_described(part, said) and same(member(said, "lines"), len(lines))
            self.note("parts", ok, f"part {position} has another size, digest or number of lines")
            for capsule in [self.load(line, "line") for line in lines]:
                lineage, head = capsule["lineage"], capsule["lineage"]["head"]["statement"]
                self.lineage(lineage, lineage["id"])
                for entry, text in zip(lineage["versions"], capsule["texts"]):
                    if text["markdown"] is not None:
                        self.text(entry["record"], text["markdown"])
                state = {name: head[name] for name in ("status", "statusReason", "supersededBy") if name in head}
                corpus.append({"id": lineage["id"], **state, "versions": [entry.get("recordDigest") for entry in lineage["versions"]]})
        ids = [one["id"] for one in corpus]
        told = {"capsules": len(ids), "versions": sum(len(one["versions"]) for one in corpus), "corpusDigest": name_of(corpus)}
        self.note("corpus", ids == sorted(set(ids)), "ids do not ascend")
        self.note("corpus", all(same(member(manifest, name), value) for name, value in told.items()), "another corpus than the manifest's")


def is_described(text, described):
    """Whether a text has the size and digest that are told of it."""
    digest = member(member(described, "digest"), "sha-256")
    return same(member(described, "size"), len(to_bytes(text))) and same(digest, sha256(text))


def follows(record, before):
    """Whether a record follows the entries before it."""
    if not same(member(record, "sequence"), len(before)):
        return False
    if not before:
        return "previous" not in record
    version = before[-1]["record"]["version"]
    named = {"version": version, "recordDigest": before[-1].get("recordDigest")}
    return same(member(record, "previous"), named) and version_key(version) < version_key(record["version"])


def version_key(version):
    """Orders versions by their numbers, however long these are."""
    return [(len(number), number) for number in version.split(".")]


def continues(kind, document, known):
    """Whether a lineage or a manifest continues an older copy of itself."""
    if kind == "manifest":
        new, old = document["statement"], known["statement"]
        (count, before), times = (one["changes"]["count"] for one in (new, old)), (old["issued"], new["issued"])
        counted = type(count) is int and type(before) is int
        return counted and (before < count or same(old["changes"], new["changes"])) and times[0] <= times[1]
    named = document["versions"] or document["head"]["statement"]["versions"]
    new, old = ([entry["recordDigest"] for entry in entries] for entries in (named, known["versions"]))
    return new[: len(old)] == old and known["head"]["statement"]["issued"] <= document["head"]["statement"]["issued"]


def text_after(start, text):
    """A text after another; raises if it is none."""
    if not isinstance(text, str):
        raise TypeError("no text")
    return start + text


def origin(one, uri, is_revision):
    """A text that a version rests on, as records and capsules both put it."""
    return {"uri": uri, "revised": is_revision} | {n: one[n] for n in ("key", "title", "publisher", "retrieved") if n in one}


def claims(item, record, lineage, is_capsule):
    """What a capsule or a result claims, each with its name and with what records and head say of it."""
    head = lineage["head"]["statement"]
    for name in ("title", "summary", "language", "evidence", "tags"):
        yield name, member(item, name), member(record, name)
    yield "type", member(item, "type"), member(record, "kind")
    yield "license", text_after("https://spdx.org/licenses/", item["license"]), member(record, "license")
    yield "content_sha256", member(item, "content_sha256"), member(member(record, "digest"), "sha-256")
    yield "updated", member(item, "updated"), record["issued"][:10]
    for name, of in {"status": "status", "status_reason": "statusReason", "superseded_by": "supersededBy"}.items():
        yield name, member(item, name), member(head, of)
    if is_capsule:
        pages = {name: [text_after("/capsules/", id) for id in item[name]] for name in ("derived_from", "cites")}
        origins = [origin({}, text_after("/capsules/", one["capsule_id"]), True) for one in item["supersedes"]]
        origins += [origin({}, page, False) for page in pages["derived_from"]]
        origins += [origin({**one, "key": text_after("", one["key"])}, one["url"], False) for one in item["sources"]]
        yield "cites", pages["cites"], record["cites"]
        proved = [origin(one, one["uri"], one.get("relation") == "wasRevisionOf") for one in record["derivedFrom"]]
        yield "supersedes, derived_from or sources", origins, proved
        said = [[one[name] for name in ("version", "issued", "record_digest")] for one in item["versions"]]
        entries = [(entry["record"], entry["recordDigest"]) for entry in lineage["versions"]]
        yield "versions", said, [[one["version"], one["issued"][:10], name] for one, name in entries]
        for one, (of, _) in zip(item["versions"], entries):
            yield "versions", member(one, "content_sha256"), member(member(of, "digest"), "sha-256")


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
    asked = proof.get("id")
    try:
        document = verifier.load(proof["document"], kind)
        if kind == "lineage":
            verifier.lineage(document, document["id"] if asked is None else asked)
        elif kind == "manifest":
            verifier.statement(document["statement"], document.get("signatures"), "corpus-manifest")
            if proof.get("parts") is not None:
                verifier.bundle(document["statement"], proof["parts"])
        else:
            verifier.items(document["results"] if kind == "answer" else [document], kind, proof.get("lineages") or {}, asked)
        if "known" in verifier.found and proof.get("known") is not None:
            verifier.known(kind, document, proof["known"])
    except Bad as bad:
        verifier.note(bad.args[0], False, bad.args[1])
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
    vectors = [vector for file in files for vector in json.loads(file.read_bytes())]
    differ = 0
    for vector in vectors:
        _, checks = verify(vector)
        got = {"exit": exit_code(checks, vector.get("trust") is not None), "failed": [check for check, ok, _ in checks if ok is False]}
        differ += got != vector["expect"]
        print(f"ok {vector['name']}" if got == vector["expect"] else f"FAIL {vector['name']}: expected {vector['expect']} got {got}")
    print(len(vectors))
    return 1 if differ else 0


def run_stream(lines):
    """Verifies one proof per line of JSON, and writes the outcome of each as a line of JSON at once."""
    for line in lines:
        proof = json.loads(line)
        kind, checks = verify(proof)
        failed = [check for check, ok, _ in checks if ok is False]
        print(json.dumps({"kind": kind, "exit": exit_code(checks, proof.get("trust") is not None), "failed": failed}), flush=True)
    return 0


def read_file(path):
    """A file as text; bytes that are not UTF-8 become halves of surrogate pairs, which no check lets through."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "surrogateescape")


def texts_beside(path, document):
    """Those texts of a lineage that are files beside it, by their addresses."""
    try:
        records = [entry["record"] for entry in read(document, "lineage")["versions"]]
    except Bad:
        return {}
    files = {one["canonical"]: pathlib.Path(path).with_name(f"{one['version']}.md") for one in records}
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
        if command == "stream" and not files:
            return run_stream(sys.stdin)
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
