import { PATHS } from '../../../src/schemas/paths.ts';
import { type Checker, findingsRow } from './checker.ts';
import { importChecker } from './run-checker.ts';

interface Finding {
  readonly message: string;
}

interface Validator {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly validate_manifest: (text: string, source: string) => unknown;
}

/** The validator of the AI catalog (ards-project/ard-spec), which Lighthouse brings. */
export const aiCatalog: Checker = {
  name: 'ard',
  modes: ['edge', 'static'],
  check: async ({ origin }) => {
    const { ConformanceTester } = await importChecker<{ readonly ConformanceTester: new () => Validator }>(
      'lighthouse/third-party/ard/ard.js',
    );
    const validator = new ConformanceTester();
    const address = `${origin}${PATHS.aiCatalog}`;
    validator.validate_manifest(await (await fetch(address)).text(), address);
    return [
      findingsRow(
        'ARD',
        [...validator.errors, ...validator.warnings].map(({ message }) => message),
      ),
    ];
  },
};
