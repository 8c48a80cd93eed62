import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Proof } from '../../../src/provenance/verify/verify.ts';
import { ROOT } from '../../support/paths.ts';

export interface PythonVerdict {
  readonly kind: string;
  readonly exit: number;
  readonly failed: readonly string[];
}

export interface PythonVerifier {
  /** @throws {Error} If the process ends without an answer, with what it wrote on standard error. */
  readonly verify: (proof: Proof) => Promise<PythonVerdict>;
  readonly stop: () => Promise<void>;
}

/** Starts `verify_proofs.py stream` in a Python that has `cryptography`. */
export function startPythonVerifier(python: string): PythonVerifier {
  const child = spawn(python, [join(ROOT, 'tests/conformance/verify_proofs.py'), 'stream'], { stdio: 'pipe' });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdin.on('error', () => {
    // The verdict that is waited for says why the process ended.
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    verify: async (proof) => {
      child.stdin.write(`${JSON.stringify(proof)}\n`);
      const { done, value } = await lines.next();
      if (done) throw new Error(`the Python verifier ended: ${errors}`);
      return JSON.parse(value) as PythonVerdict;
    },
    stop: async () => {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}
