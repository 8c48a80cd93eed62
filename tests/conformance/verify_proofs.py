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
from collections.abc import Callable, Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHAIN = ["json", "form", "subject", "records", "chain", "head", "fresh"]
CHECKS = {
    "lineage": [*CHAIN, "known", "text", "signature"],
    "capsule": [*CHAIN, "text", "fields", "signature"],
    "answer": [*CHAIN, "text", "fields", "quote", "signature"],
    "manifest": [*CHAIN, "known", "text", "parts", "corpus", "signature"],
}
"""The checks that apply to each kind of document, in the order of the table."""

MAX_WHOLE = 2**53 - 1
MAX_DEPTH = 64
ABSENT = object()
MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


class Bad(Exception):
    """A document is not JSON as it must be, or not of its form."""


class Report:
    """What became of each check: None until it is made; once failed, it stays failed."""

    def __init__(self, kind: str):
        self.found: dict[str, tuple[bool | None, str]] = {check: (None, "not made") for check in CHECKS[kind]}

    def note(self, check: str, ok: bool, detail: str) -> None:
        """Records one finding; `detail` says what is wrong if it is not `ok`."""
        if self.found[check][0] is not False:
            self.found[check] = (True, "") if ok else (False, detail)

    def load(self, text: object, form: Callable[[object], None]) -> object | None:
        """Reads a document and looks at its form; None if either fails."""
        check = "json"
        try:
            value = read_json(text)
            self.note("json", True, "")
            check = "form"
            form(value)
            self.note("form", True, "")
            return value
        except Bad as bad:
            self.note(check, False, str(bad))
            return None


# JSON


def read_number(digits: str) -> int | float:
    """A number as ECMAScript reads it: an int if it is whole and exact, else a float."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) <= MAX_WHOLE else number


def unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, unless a member stands in it twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Bad("an object has a member twice")
    return members


def refuse_constant(name: str) -> None:
    """Python would take NaN and Infinity for numbers."""
    raise Bad(f"{name} is not JSON")


def read_json(text: object) -> object:
    """The value of a JSON text; raises `Bad` for everything that the check `json` refuses."""
    if not isinstance(text, str) or text.startswith("\ufeff"):
        raise Bad("not a text, or one with a byte order mark")
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            raise Bad(f"nested deeper than {MAX_DEPTH}")
    try:
        text.encode()
        value = json.loads(
            text,
            parse_int=read_number,
            parse_float=read_number,
            parse_constant=refuse_constant,
            object_pairs_hook=unique_members,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Bad("holds half a surrogate pair") from None
    except (ValueError, RecursionError) as error:
        raise Bad(f"not JSON: {error}") from None
    return value


def canonical(value: object) -> str:
    """The canonical form (RFC 8785) of a value whose numbers are whole."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def to_bytes(text: str) -> bytes:
    """UTF-8 of a text; half a surrogate pair gives bytes that no record can digest."""
    return text.encode("utf-8", "surrogatepass")


def sha256(data: bytes) -> str:
    """Digest in lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def name_of(statement: object) -> str:
    """The name of a statement."""
    return "sha256:" + sha256(to_bytes(canonical(statement)))


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON; Python alone would take true for 1."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# Form


def matches(pattern: str, value: object, longest: int = sys.maxsize) -> bool:
    """Whether a value is a text that matches as a whole."""
    return isinstance(value, str) and len(value) <= longest and re.fullmatch(pattern, value) is not None


def is_text(value: object) -> bool:
    """Any text."""
    return isinstance(value, str)


def is_id(value: object) -> bool:
    """Id of a capsule."""
    return matches(r"[a-z0-9]+(-[a-z0-9]+)*", value, 64)


def is_version(value: object) -> bool:
    """Three numbers without leading zeros."""
    return matches(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}", value)


def is_digest(value: object) -> bool:
    """Hexadecimal digits of a digest."""
    return matches(r"[0-9a-f]{64}", value)


def is_name(value: object) -> bool:
    """Name of a statement."""
    return matches(r"sha256:[0-9a-f]{64}", value)


def is_whole(value: object) -> bool:
    """A whole number within range; `read_number` has made exactly these into ints."""
    return type(value) is int


def is_count(value: object) -> bool:
    """A whole number from 0."""
    return type(value) is int and value >= 0


def is_timestamp(value: object) -> bool:
    """A real date and time in UTC."""
    if not matches(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z", value):
        return False
    year, month, day = (int(part) for part in value[:10].split("-"))
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= MONTH_DAYS[month - 1] + leap


def optional(test: Callable[[object], bool]) -> Callable[[object], bool]:
    """A member that may be absent, but not null."""
    return lambda value: value is ABSENT or test(value)


def array_of(test: Callable[[object], bool]) -> Callable[[object], bool]:
    """An array of what a test lets through."""
    return lambda value: isinstance(value, list) and all(map(test, value))


def is_object(**members: Callable[[object], bool]) -> Callable[[object], bool]:
    """An object with these members; others may be there."""
    return lambda value: isinstance(value, dict) and all(test(value.get(name, ABSENT)) for name, test in members.items())


def whole_numbers(value: object) -> bool:
    """Whether all numbers in a statement are whole and within range."""
    if isinstance(value, dict):
        return all(map(whole_numbers, value.values()))
    return all(map(whole_numbers, value)) if isinstance(value, list) else not isinstance(value, float)


def statement(kind: str, schema: str, **members: Callable[[object], bool]) -> Callable[[object], bool]:
    """A statement of a type."""
    has_members = is_object(issuer=is_object(id=is_text), issued=is_timestamp, **members)
    named = {"type": kind, "$schema": f"/schemas/{schema}/1.json"}
    return lambda value: has_members(value) and whole_numbers(value) and all(same(value.get(n, ABSENT), v) for n, v in named.items())


has_sha256 = is_object(**{"sha-256": is_digest})
signatures = array_of(is_object(protected=is_text, signature=is_text))
is_record = statement(
    "CapsuleVersion", "capsule-version",
    id=is_id, version=is_version, sequence=is_count, size=is_count, digest=has_sha256,
    previous=optional(is_object(version=is_version, recordDigest=is_name)),
    title=is_text, summary=is_text, kind=is_text, language=is_text, evidence=is_text, license=is_text, tags=array_of(is_text),
)  # fmt: skip
is_head = statement(
    "LineageHead", "lineage-head",
    id=is_id, status=lambda value: value in ("current", "superseded", "retracted"),
    statusReason=optional(is_text), supersededBy=optional(is_text),
    head=is_name, version=is_version, count=lambda value: is_count(value) and value >= 1, validUntil=optional(is_timestamp),
)  # fmt: skip
is_manifest = statement(
    "CorpusManifest", "corpus-manifest",
    corpusDigest=is_name, capsules=is_count, versions=is_count,
    bundle=is_object(parts=array_of(is_object(uri=is_text, size=is_whole, lines=is_whole, digest=has_sha256))),
    changes=lambda value: is_object(count=is_whole)(value)
    and (is_name(value.get("digest")) or (value["count"] == 0 and value.get("digest", ABSENT) is None)),
    validUntil=optional(is_timestamp),
)  # fmt: skip


def must_be(what: str, test: Callable[[object], bool]) -> Callable[[object], None]:
    """A look at the form of a document that raises `Bad`."""

    def look(value: object) -> None:
        if not test(value):
            raise Bad(f"not the form of {what}")

    return look


is_lineage = is_object(
    id=is_id,
    versions=lambda value: array_of(is_object(record=is_record, recordDigest=is_name, signatures=signatures))(value) and value != [],
    head=is_object(statement=is_head, signatures=signatures),
)
is_result = is_object(
    capsule_id=is_id, version=is_version, content_sha256=is_digest, quote=is_object(start=is_whole, end=is_whole, text=is_text)
)
lineage_form = must_be("a lineage", is_lineage)
line_form = must_be(
    "a line of the bundle",
    lambda value: is_object(lineage=is_lineage, texts=array_of(is_object(version=is_text, markdown=is_text)))(value)
    and [text["version"] for text in value["texts"]] == [entry["record"]["version"] for entry in value["lineage"]["versions"]],
)
FORMS = {
    "lineage": lineage_form,
    "capsule": must_be("a capsule", is_object(capsule_id=is_id, version=is_version, markdown=is_text, content_sha256=is_digest)),
    "answer": must_be("an answer", is_object(results=array_of(is_result))),
    "manifest": must_be("a manifest", is_object(statement=is_manifest, signatures=signatures)),
}


# Signatures


def base64url(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: object, size: int) -> bytes | None:
    """Bytes of exactly this number, if they are written in the one right way."""
    if not matches(r"[A-Za-z0-9_-]*", text) or len(text) != (size * 4 + 2) // 3:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64url(data) == text else None


def seconds_of(timestamp: str) -> int:
    """Seconds from 1970 to a timestamp."""
    year, month, day, hour, minute, second = (int(part) for part in re.findall("[0-9]+", timestamp))
    before = year - 1
    leap = month > 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = before * 365 + before // 4 - before // 100 + before // 400 + sum(MONTH_DAYS[: month - 1]) + leap + day - 1 - 719162
    return ((days * 24 + hour) * 60 + minute) * 60 + second


class Trust:
    """Keys that are trusted, with their retirement, and the identity whose they are, if one is named."""

    def __init__(self, text: object):
        self.keys: list[tuple[bytes, str, int | float | None]] = []
        try:
            document = read_json(text)
        except Bad:
            return
        document = document if isinstance(document, dict) else {}
        is_set = isinstance(document.get("keys"), list)
        issuer = document.get("issuer" if is_set else "id")
        self.issuer = issuer if is_text(issuer) else None
        if is_set:
            for key in document["keys"]:
                if isinstance(key, dict) and isinstance(key.get("exp", 0), int | float) and not isinstance(key.get("exp"), bool):
                    self.add(key, key.get("exp"))
            return
        asserted, methods = document.get("assertionMethod"), document.get("verificationMethod")
        for method in methods if isinstance(methods, list) and isinstance(asserted, list) else []:
            if not isinstance(method, dict) or not is_text(method.get("id")) or method["id"] not in asserted:
                continue
            if "expires" not in method or is_timestamp(method["expires"]):
                self.add(method.get("publicKeyJwk"), seconds_of(method["expires"]) if "expires" in method else None)

    def add(self, key: object, retired: int | float | None) -> None:
        """Adds a JWK if it is a usable key."""
        x = decode_base64url(key.get("x"), 32) if isinstance(key, dict) else None
        if x is not None and key.get("kty") == "OKP" and key.get("crv") == "Ed25519":
            thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'.encode()).digest()
            self.keys.append((x, base64url(thumbprint), retired))

    def signed(self, statement: dict, signatures: list[dict], kind: str) -> bool:
        """Whether one of the signatures of a statement is valid and by a key that is trusted for it."""
        if not self.keys or self.issuer not in (None, statement["issuer"]["id"]):
            return False
        payload = base64url(to_bytes(canonical(statement)))
        for x, kid, retired in self.keys:
            if retired is not None and seconds_of(statement["issued"]) > retired:
                continue
            headers = [base64url(f'{{"alg":"{alg}","kid":"{kid}","typ":"{kind}+jws"}}'.encode()) for alg in ("Ed25519", "EdDSA")]
            for signature in signatures:
                data = decode_base64url(signature["signature"], 64)
                if data is None or signature["protected"] not in headers:
                    continue
                try:
                    Ed25519PublicKey.from_public_bytes(x).verify(data, f"{signature['protected']}.{payload}".encode())
                    return True
                except (InvalidSignature, ValueError):
                    continue
        return False


# Checks


def version_key(version: str) -> list[tuple[int, str]]:
    """Orders versions by their numbers, however long these are."""
    return [(len(number), number) for number in version.split(".")]


class Verifier:
    """Makes the checks of one proof."""

    def __init__(self, proof: dict, kind: str):
        self.report = Report(kind)
        self.note = self.report.note
        self.trust = Trust(proof["trust"]) if proof.get("trust") is not None else None
        self.texts = proof["texts"] if isinstance(proof.get("texts"), dict) else {}
        self.now = proof["now"] if is_timestamp(proof.get("now")) else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if self.trust and not self.trust.keys:
            self.note("signature", False, "no usable key was found in the trust")

    def signed(self, signed: dict, kind: str, member: str = "statement") -> None:
        """`signature` of one statement."""
        if self.trust:
            ok = self.trust.signed(signed[member], signed["signatures"], kind)
            self.note("signature", ok, f"no valid signature by a trusted key: {kind} issued {signed[member]['issued']}")

    def fresh(self, statement: dict) -> None:
        """`fresh` of one head or manifest."""
        until = statement.get("validUntil")
        if until is not None:
            self.note("fresh", self.now <= until and statement["issued"] <= until, f"was valid until {until}")

    def text(self, record: dict, text: object) -> None:
        """`text` of one text and its record."""
        data = to_bytes(text) if is_text(text) else b""
        ok = is_text(text) and len(data) == record["size"] and sha256(data) == record["digest"]["sha-256"]
        self.note("text", ok, f"not the text of {record['id']} {record['version']}")

    def lineage(self, lineage: dict, wanted: Iterable[object]) -> None:
        """All checks that a lineage makes by itself; `wanted` are the ids that were asked for."""
        entries, head = lineage["versions"], lineage["head"]["statement"]
        about = [*(entry["record"] for entry in entries), head]
        ids = {lineage["id"], *(one["id"] for one in about)}
        self.note("subject", ids.issuperset(map(str, wanted)) and len(ids) == 1, f"is about several or another: {sorted(ids)}")
        self.note("subject", len({one["issuer"]["id"] for one in about}) == 1, f"{lineage['id']} has several issuers")
        before: dict | None = None
        for position, entry in enumerate(entries):
            record = entry["record"]
            where = f"{record['id']} {record['version']}"
            self.note("records", name_of(record) == entry["recordDigest"], f"the record of {where} has another digest")
            linked, ascends = "previous" not in record, True
            if before:
                previous = record.get("previous", {})
                linked = previous.get("version") == before["record"]["version"] and previous.get("recordDigest") == before["recordDigest"]
                ascends = version_key(before["record"]["version"]) < version_key(record["version"])
            self.note("chain", record["sequence"] == position and linked and ascends, f"{where} does not follow the one before")
            self.signed(entry, "capsule-version", "record")
            address = record.get("canonical")
            if is_text(address) and address in self.texts:
                self.text(record, self.texts[address])
            before = entry
        newest = (entries[-1]["recordDigest"], entries[-1]["record"]["version"], len(entries))
        self.note("head", (head["head"], head["version"], head["count"]) == newest, f"the head of {lineage['id']} names another record")
        self.fresh(head)
        self.signed(lineage["head"], "lineage-head")

    def known_lineage(self, lineage: dict, known: dict) -> bool:
        """Whether a lineage continues an older copy."""
        old, new = ([entry["recordDigest"] for entry in one["versions"]] for one in (known, lineage))
        return new[: len(old)] == old and lineage["head"]["statement"]["issued"] >= known["head"]["statement"]["issued"]

    def known_manifest(self, manifest: dict, known: dict) -> bool:
        """Whether a manifest continues an older one."""
        new, old = manifest["statement"], known["statement"]
        return new["changes"]["count"] >= old["changes"]["count"] and new["issued"] >= old["issued"]

    def known(self, kind: str, document: dict, known: object) -> None:
        """`known` of a lineage or manifest, if an older copy was given."""
        if known is None:
            return
        try:
            older = read_json(known)
            FORMS[kind](older)
        except Bad as bad:
            return self.note("known", False, f"the older copy: {bad}")
        ok = self.known_lineage(document, older) if kind == "lineage" else self.known_manifest(document, older)
        self.note("known", ok, "does not continue the older copy")

    def fields(self, about: dict, lineage: dict) -> dict | None:
        """`fields` that a capsule and a result have; gives the record of their version."""
        record = next((entry["record"] for entry in lineage["versions"] if entry["record"]["version"] == about["version"]), None)
        self.note("fields", record is not None, f"{about['capsule_id']} {about['version']} has no record")
        if record is None:
            return None
        head = lineage["head"]["statement"]
        proved = {name: record[name] for name in ("title", "summary", "language", "evidence", "tags")}
        proved |= {"type": record["kind"], "content_sha256": record["digest"]["sha-256"], "status": head["status"]}
        proved |= {"status_reason": head.get("statusReason", ABSENT), "superseded_by": head.get("supersededBy", ABSENT)}
        for name, value in proved.items():
            self.note("fields", same(about.get(name, ABSENT), value), f"{name} of {about['capsule_id']} is not that of its record or head")
        for name, said, value in (
            ("license", f"https://spdx.org/licenses/{about.get('license')}", record["license"]),
            ("updated", f"{about.get('updated')}T00:00:00Z", record["issued"]),
        ):
            self.note("fields", is_text(about.get(name)) and said == value, f"{name} of {about['capsule_id']} is not that of its record")
        return record

    def relations(self, capsule: dict, record: dict, lineage: dict) -> None:
        """`fields` that only a capsule has: what it rests on, and its versions."""

        def objects(members: dict, name: str) -> list[dict]:
            found = members.get(name, [])
            return [one if isinstance(one, dict) else {"": one} for one in found] if isinstance(found, list) else [{"": found}]

        def pages(name: str) -> list[str]:
            return [f"/capsules/{one.get('capsule_id') if name == 'supersedes' else one.get('')}" for one in objects(capsule, name)]

        derived = objects(record, "derivedFrom")
        revised = [one for one in derived if one.get("relation") == "wasRevisionOf"]
        others = [one for one in derived if one not in revised and "key" not in one]
        source = {"key": "key", "url": "uri", "title": "title", "publisher": "publisher", "retrieved": "retrieved"}
        compared = {
            "sources": (
                [{name: one[name] for name in source if name in one} for one in objects(capsule, "sources")],
                [{name: one[of] for name, of in source.items() if of in one} for one in derived if "key" in one],
            ),
            "supersedes": (pages("supersedes"), [one.get("uri") for one in revised]),
            "derived_from": (pages("derived_from"), [one.get("uri") for one in others]),
            "cites": (pages("cites"), [one.get("") for one in objects(record, "cites")]),
            "versions": (
                [
                    [one.get("version"), f"{one.get('issued')}T00:00:00Z", one.get("content_sha256"), one.get("record_digest")]
                    for one in objects(capsule, "versions")
                ],
                [
                    [entry["record"]["version"], entry["record"]["issued"], entry["record"]["digest"]["sha-256"], entry["recordDigest"]]
                    for entry in lineage["versions"]
                ],
            ),
        }
        for name, (said, proved) in compared.items():
            self.note("fields", same(said, proved), f"{name} of {capsule['capsule_id']} are not those of the records")

    def about(self, items: list[dict], lineages: object, asked: list[str]) -> None:
        """A capsule or the results of an answer, with their lineages."""
        loaded: dict[str, dict | None] = {}
        for item in items:
            id = item["capsule_id"]
            if not isinstance(lineages, dict) or lineages.get(id) is None:
                self.note("fields", False, f"the lineage of {id} is not given")
                continue
            if id not in loaded:
                loaded[id] = self.report.load(lineages[id], lineage_form)
                if loaded[id]:
                    self.lineage(loaded[id], [id, *asked])
            lineage = loaded[id]
            record = self.fields(item, lineage) if lineage else None
            if record is None:
                continue
            if "quote" in self.report.found:
                self.quote(item["quote"], self.texts.get(str(record.get("canonical"))), id)
            else:
                self.text(record, item["markdown"])
                self.relations(item, record, lineage)

    def quote(self, quote: dict, text: object, id: str) -> None:
        """`quote` of one result, if the text is given."""
        if is_text(text):
            units = text.encode("utf-16-le", "surrogatepass")
            cut = units[2 * max(quote["start"], 0) : 2 * max(quote["end"], 0)]
            ok = quote["start"] >= 0 and quote["end"] >= 0 and cut == quote["text"].encode("utf-16-le")
            self.note("quote", ok, f"the quote of {id} is not in its text")

    def bundle(self, manifest: dict, parts: list[object]) -> None:
        """`parts`, `corpus`, and all checks of the lineages in a bundle."""
        listed = manifest["bundle"]["parts"]
        self.note("parts", len(parts) == len(listed), f"{len(parts)} parts are given, {len(listed)} are listed")
        lines: list[str] = []
        for number, part in enumerate(parts):
            text = part if is_text(part) else ""
            own = text.removesuffix("\n").split("\n") if text else []
            lines += own
            data = to_bytes(text)
            said = listed[number] if number < len(listed) else None
            ok = said is None or (said["size"], said["lines"], said["digest"]["sha-256"]) == (len(data), len(own), sha256(data))
            self.note("parts", ok, f"part {number + 1} is not the one that the manifest lists")
        capsules = [self.report.load(line, line_form) for line in lines]
        for capsule in filter(None, capsules):
            self.lineage(capsule["lineage"], [])
            for entry, text in zip(capsule["lineage"]["versions"], capsule["texts"]):
                self.text(entry["record"], text["markdown"])
        if None in capsules:
            return
        lineages = [capsule["lineage"] for capsule in capsules]
        ids = [lineage["id"] for lineage in lineages]
        self.note("corpus", all(one < next for one, next in zip(ids, ids[1:])), "ids do not ascend")
        counts = (len(lineages), sum(len(lineage["versions"]) for lineage in lineages))
        self.note("corpus", counts == (manifest["capsules"], manifest["versions"]), "has other counts of capsules or versions")
        corpus = []
        for lineage in lineages:
            head = lineage["head"]["statement"]
            state = {name: head[name] for name in ("status", "statusReason", "supersededBy") if name in head}
            corpus.append({"id": lineage["id"], **state, "versions": [name_of(entry["record"]) for entry in lineage["versions"]]})
        self.note("corpus", name_of(corpus) == manifest["corpusDigest"], "is another corpus than the manifest's")


def kind_of(text: object) -> str:
    """What a document is, by its members; a lineage if it is none of the others."""
    try:
        document = read_json(text)
    except Bad:
        return "lineage"
    kinds = {"results": "answer", "statement": "manifest", "capsule_id": "capsule"}
    return next((kind for member, kind in kinds.items() if isinstance(document, dict) and member in document), "lineage")


def verify(proof: dict) -> tuple[str, list[tuple[str, bool | None, str]]]:
    """Checks a proof: the kind of its document, and of each check whether it holds (None: was not made) and what is wrong.

    Members of a proof: `document`, and where there are such `lineages` by id, `texts` by address, `parts` of the bundle in order,
    the `id` that was asked for, a `known` older copy, `trust`, and the time `now`.
    """
    kind = kind_of(proof.get("document"))
    verifier = Verifier(proof, kind)
    document = verifier.report.load(proof.get("document"), FORMS[kind])
    asked = [] if proof.get("id") is None else [proof["id"]]
    if document is None:
        pass
    elif kind == "lineage":
        verifier.lineage(document, asked)
    elif kind == "manifest":
        verifier.fresh(document["statement"])
        verifier.signed(document, "corpus-manifest")
        if isinstance(proof.get("parts"), list):
            verifier.bundle(document["statement"], proof["parts"])
    else:
        verifier.about([document] if kind == "capsule" else document["results"], proof.get("lineages"), asked if kind == "capsule" else [])
    if document is not None and kind in ("lineage", "manifest"):
        verifier.known(kind, document, proof.get("known"))
    return kind, [(check, ok, detail) for check, (ok, detail) in verifier.report.found.items()]


def exit_code(checks: list[tuple[str, bool | None, str]], trust_given: bool) -> int:
    """The outcome as a number, from 0 to 2."""
    failed = [check for check, ok, _ in checks if ok is False]
    if any(check != "signature" for check in failed):
        return 1
    return 2 if trust_given and failed else 0


# Command line


def run_vectors(paths: list[str]) -> int:
    """Runs test vectors, prints a line for each and at last their number."""
    files = [file for path in map(pathlib.Path, paths) for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    differ = 0
    for file in files:
        vector = json.loads(file.read_bytes().decode("utf-8"))
        _, checks = verify(vector)
        got = {"exit": exit_code(checks, vector.get("trust") is not None), "failed": [check for check, ok, _ in checks if ok is False]}
        expected = {name: vector["expect"].get(name) for name in got}
        differ += got != expected
        print(f"ok {vector['name']}" if got == expected else f"FAIL {vector['name']}: expected {expected} got {got}")
    print(len(files))
    return 1 if differ else 0


def read_text(path: str | pathlib.Path) -> str:
    """A file as text; bytes that are not UTF-8 become halves of surrogate pairs, which no check lets through."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "surrogateescape")


def texts_beside(path: pathlib.Path, document: str) -> dict[str, str]:
    """Texts of the versions of a lineage, of those files that are there."""
    try:
        lineage = read_json(document)
        lineage_form(lineage)
    except Bad:
        return {}
    records = [entry["record"] for entry in lineage["versions"] if is_text(entry["record"].get("canonical"))]
    files = {record["canonical"]: path.with_name(f"{record['version']}.md") for record in records}
    return {address: read_text(file) for address, file in files.items() if file.is_file()}


def main(arguments: list[str]) -> int:
    """Runs the command line and gives the exit code."""
    command, *rest = arguments or [""]
    trust = None
    try:
        if "--trust" in rest[:-1]:
            at = rest.index("--trust")
            trust = read_text(rest[at + 1])
            del rest[at : at + 2]
        if command == "vectors" and rest:
            return run_vectors(rest)
        if command not in ("check", "bundle") or not rest or (command == "check" and len(rest) > 1):
            print(__doc__, file=sys.stderr)
            return 3
        proof = {"document": read_text(rest[0]), "trust": trust}
        if command == "check":
            proof["texts"] = texts_beside(pathlib.Path(rest[0]), proof["document"])
        elif rest[1:]:
            proof["parts"] = [read_text(path) for path in rest[1:]]
    except OSError as error:
        print(error, file=sys.stderr)
        return 3
    kind, checks = verify(proof)
    print(kind)
    for check, ok, detail in checks:
        print(f"{ {True: 'ok', False: 'FAIL', None: '-'}[ok] } {check} {detail}".rstrip())
    return exit_code(checks, trust is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
