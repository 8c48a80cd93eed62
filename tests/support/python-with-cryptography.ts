import { spawnSync } from 'node:child_process';

/** A Python that has the package `cryptography`, Debian's own first; `undefined` if there is none. */
export function pythonWithCryptography(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find(
    (python) => spawnSync(python, ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0,
  );
}
