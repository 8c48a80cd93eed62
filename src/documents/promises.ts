import { ERRORS } from '../gateway/errors.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS, RATE_LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Promises, PublishedPromise } from '../schemas/promises.ts';

/** A promise as it is written down: the command is that of its tests unless another one checks it better. */
interface WrittenPromise extends Omit<PublishedPromise, 'command' | 'tests'> {
  readonly command?: string;
  readonly tests: readonly (readonly [file: string, name: string])[];
}

const count = (value: number): string => value.toLocaleString('en-US');

/** Every promise once. Numbers come from the constants that the program uses. */
const WRITTEN: readonly WrittenPromise[] = [
  {
    id: 'pinned-answers',
    subject: 'answers',
    promise:
      'A question that names its corpus version gets the same answer again, byte for byte, also after newer versions were published.',
    tests: [
      ['tests/edge/queryKnowledge/pinned.test.ts', 'has the bytes that it had while that was the newest'],
      ['tests/edge/queryKnowledge/paging.test.ts', 'the same request gives the same bytes, now and days later'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'exact-quotes',
    subject: 'answers',
    promise: `A quote has at most ${count(LIMITS.quoteMaxLength)} UTF-16 code units and is cut out of the published text exactly at the offsets it names.`,
    bound: { value: LIMITS.quoteMaxLength, unit: 'UTF-16 code units' },
    tests: [
      ['tests/unit/gateway/knowledge/quotes.test.ts', 'are cut exactly out of the text of the stated digest'],
      ['tests/conformance/quotes-in-python.test.ts', 'cut the same text out of the same bytes'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'token-budget',
    subject: 'answers',
    promise: `An answer never spends more than its token budget, up to ${count(LIMITS.tokenBudgetMax)} tokens by the published estimate.`,
    bound: { value: LIMITS.tokenBudgetMax, unit: 'tokens' },
    tests: [['tests/unit/gateway/knowledge/token-budget.test.ts', 'is never exceeded']],
    applies_to: 'edge',
  },
  {
    id: 'whole-pages',
    subject: 'answers',
    promise: 'The pages of a list join to the whole list: nothing is missing and nothing comes twice.',
    tests: [
      ['tests/unit/gateway/knowledge/paging.test.ts', 'have no gaps and no repeats'],
      ['tests/edge/queryKnowledge/pinned.test.ts', 'has the pages that it had, to the last'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'same-files',
    subject: 'answers',
    promise: 'A site of files alone publishes the same documents as one with functions, and describes nothing that it cannot answer.',
    tests: [
      ['tests/e2e/frontend-only.test.ts', 'answers every address that its documents and pages name'],
      ['tests/unit/documents/openapi.test.ts', 'tells of nothing that needs a function'],
    ],
    applies_to: 'both',
  },
  {
    id: 'living-links',
    subject: 'answers',
    promise: 'Every address of this site that stands in one of its documents answers.',
    tests: [
      ['tests/unit/documents/addresses.test.ts', 'answer in the mode, in every document'],
      ['tests/e2e/frontend-only.test.ts', 'answers every address that its documents and pages name'],
    ],
    applies_to: 'both',
  },
  {
    id: 'offline-lineage',
    subject: 'proofs',
    promise: 'Texts, versions and lineage can be checked without this server, by two programs that were written apart from each other.',
    command: 'npm run attacks',
    tests: [
      ['tests/unit/publish/signed-site.test.ts', 'holds as a whole, for its keys and for its identity'],
      ['tests/unit/provenance/proofs-in-python.test.ts', 'have the outcome that each test vector expects'],
    ],
    applies_to: 'both',
  },
  {
    id: 'fresh-keys',
    subject: 'keys',
    promise: 'A key works in every location from the moment in which it is issued: nothing is stored that would have to spread first.',
    bound: { value: 0, unit: 'seconds' },
    tests: [['tests/edge/registerAgent/answers.test.ts', 'a fresh key works at once where the secret is the same']],
    applies_to: 'edge',
  },
  {
    id: 'revoked-keys',
    subject: 'keys',
    promise: `A revoked key is refused in every location within ${LIMITS.revocationMaxSeconds} seconds while the database can be reached.`,
    bound: { value: LIMITS.revocationMaxSeconds, unit: 'seconds' },
    command: 'npm run simulate',
    tests: [['tests/unit/gateway/agents/revocation-list.test.ts', 'reads once in half a minute']],
    applies_to: 'edge',
  },
  {
    id: 'no-secrets',
    subject: 'keys',
    promise: 'No key is stored, logged, or repeated in an answer besides the one that issues it.',
    command: 'npm run fuzz',
    tests: [
      ['tests/edge/registerAgent/idempotency.test.ts', 'the database holds neither the key, nor its MAC, nor the Idempotency-Key'],
      ['tests/edge/queryKnowledge/keys.test.ts', 'neither key nor a part of it is repeated'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'honest-limits',
    subject: 'keys',
    promise: `Limits are the published ones, ${count(RATE_LIMITS.query.requests)} questions a minute for a key among them, and whoever is refused is told when to come back.`,
    bound: { value: RATE_LIMITS.query.requests, unit: `requests in ${RATE_LIMITS.query.windowSeconds} seconds` },
    tests: [['tests/edge/every-route/refusals.test.ts', 'the limit of a network is exactly the published one']],
    applies_to: 'edge',
  },
  {
    id: 'kept-work',
    subject: 'proposals',
    promise: 'What was acknowledged with a receipt is stored: its agent can ask for it at once and later.',
    command: 'npm run crash',
    tests: [['tests/edge/submitProposal/answers.test.ts', 'what was acknowledged is told to its agent at once']],
    applies_to: 'edge',
  },
  {
    id: 'one-effect',
    subject: 'proposals',
    promise: `A request that is sent again under its Idempotency-Key within ${LIMITS.idempotencyHours} hours has one effect and one receipt.`,
    bound: { value: LIMITS.idempotencyHours, unit: 'hours' },
    tests: [
      ['tests/edge/submitProposal/answers.test.ts', 'twenty at once under one key are one proposal with one receipt'],
      ['tests/edge/registerAgent/idempotency.test.ts', 'ten repetitions at once get one key'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'private-proposals',
    subject: 'proposals',
    promise: 'A proposal is told to the agent that sent it and to nobody else; for all others it answers as if it did not exist.',
    tests: [
      ['tests/edge/getProposal/proposal.test.ts', 'unknown, malformed, forged, of another agent, pending or decided: the same bytes'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'one-error-shape',
    subject: 'failures',
    promise: `Every error of the API is a problem document with one of ${Object.keys(ERRORS).length} permanent codes and with what to do next.`,
    bound: { value: Object.keys(ERRORS).length, unit: 'codes' },
    tests: [
      ['tests/edge/coverage.test.ts', 'has a test for each of its answers and errors'],
      ['tests/unit/documents/openapi.test.ts', 'shows problems as the service sends them'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'told-when-to-retry',
    subject: 'failures',
    promise: 'An answer that the service cannot give now has the status 503 and says after how many seconds to ask again.',
    command: 'npm run faults',
    tests: [['tests/unit/documents/promises.test.ts', 'every error of an outage says when to come back']],
    applies_to: 'edge',
  },
  {
    id: 'bounded-input',
    subject: 'failures',
    promise: 'No text that a stranger or an author sends makes a pattern of this software slow: time grows no faster than the text.',
    tests: [['tests/house/patterns.test.ts', 'take time that grows no faster than the text']],
    applies_to: 'both',
  },
  {
    id: 'one-price',
    subject: 'commerce',
    promise: 'A price is the same, to the cent, on every page and in every document.',
    tests: [
      ['tests/unit/catalog/offer.test.ts', 'has one price under both names, exact to the cent'],
      ['tests/unit/documents/document-files.test.ts', 'writes the three catalogs with equal bytes'],
    ],
    applies_to: 'both',
  },
  {
    id: 'no-strange-redirects',
    subject: 'commerce',
    promise:
      'A way to buy leads to a page of this site or to the checkout link of the catalog, whatever stands in its address or its headers.',
    tests: [
      ['tests/edge/buyOffer/corpus.test.ts', 'leads nowhere but to pages of this site and to checkouts of the catalog'],
      ['tests/edge/buyOffer/redirects.test.ts', 'known marketing parameters are passed on, others are not'],
    ],
    applies_to: 'edge',
  },
  {
    id: 'no-script-from-content',
    subject: 'pages',
    promise: 'Nothing that an author or a stranger writes runs as script, with the policy of the site and without it.',
    tests: [['tests/e2e/hostile-content.test.ts', 'runs nothing, asks nobody and breaks no policy']],
    applies_to: 'both',
  },
  {
    id: 'nobody-else-asked',
    subject: 'pages',
    promise: 'Pages load nothing from other hosts and report nothing to anybody: no analytics, no telemetry, no cookies.',
    tests: [
      ['tests/e2e/pages.test.ts', 'loads nothing from elsewhere and breaks no rule of its own policy'],
      ['tests/unit/documents/host-files.test.ts', 'gives every file the security headers, exactly these'],
    ],
    applies_to: 'both',
  },
];

/** The promises of a kind of deployment, with the commands that check them. */
export function promisesOf(mode: Deployment['mode']): PublishedPromise[] {
  return WRITTEN.filter(({ applies_to: kind }) => kind === 'both' || kind === mode).map(({ command, tests, ...promise }) => ({
    ...promise,
    command: command ?? `npm test -- ${[...new Set(tests.map(([file]) => file))].join(' ')}`,
    tests: tests.map(([file, name]) => ({ file, name })),
  }));
}

/** `/promises.json`. */
export function promisesDocument({ mode, baseUrl }: Pick<Deployment, 'mode' | 'baseUrl'>): Promises {
  return { page: `${baseUrl}${PATHS.promises}`, promises: promisesOf(mode) };
}
