/** A part of the code whose tests are tested, by paths from the folder of the project. */
export interface MutationArea {
  /** Files, and folders whose TypeScript files all belong to it. */
  readonly sources: readonly string[];
  /** Patterns of the unit tests that are run. */
  readonly tests: readonly string[];
}

/** Where a fault would give away access, work without bound, a false proof, or money. */
export const AREAS: Readonly<Record<string, MutationArea>> = {
  auth: {
    sources: ['src/gateway/agents', 'src/routes/http/authenticate.ts', 'src/platform/signing-secrets.ts'],
    tests: ['tests/unit/gateway/agents/**', 'tests/unit/routes/http/**', 'tests/unit/platform/signing-secrets.test.ts'],
  },
  limits: {
    sources: ['src/gateway/limits', 'src/routes/http/rate-limits.ts', 'src/routes/http/parse-json.ts', 'src/routes/http/read-body.ts'],
    tests: ['tests/unit/gateway/limits/**', 'tests/unit/routes/http/**'],
  },
  lineage: {
    sources: ['src/provenance', 'src/authoring/lineage-proof.ts'],
    tests: [
      'tests/unit/provenance/!(proofs-in-python)*',
      'tests/unit/authoring/{keys,frozen-versions}*',
      'tests/unit/gateway/capsules/read-lineage*',
    ],
  },
  money: {
    sources: ['src/catalog', 'src/gateway/commerce'],
    tests: ['tests/unit/catalog/**', 'tests/unit/gateway/commerce/**'],
  },
};
