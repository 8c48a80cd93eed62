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
    sources: ['src/gateway/agents', 'src/http/authenticate.ts', 'src/platform/signing-secrets.ts'],
    tests: ['tests/unit/gateway/agents/**', 'tests/unit/routes/http/**', 'tests/unit/platform/signing-secrets.test.ts'],
  },
  limits: {
    sources: ['src/gateway/limits', 'src/http/rate-limits.ts', 'src/http/parse-json.ts', 'src/http/read-body.ts'],
    tests: ['tests/unit/gateway/limits/**', 'tests/unit/routes/http/**'],
  },
  lineage: {
    sources: ['src/provenance', 'src/publication/capsules/lineage-proof.ts'],
    tests: [
      'tests/unit/provenance/!(proofs-in-python)*',
      'tests/unit/publication/**/{keys,frozen-versions}*',
      'tests/unit/gateway/knowledge/read-lineage*',
    ],
  },
  money: {
    sources: ['src/gateway/commerce'],
    tests: ['tests/unit/gateway/commerce/**'],
  },
};
