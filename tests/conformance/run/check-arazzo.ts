import { PATHS } from '../../../src/schemas/paths.ts';
import { absentRow, type Checker, findingsRow } from './checker.ts';
import { runChecker } from './run-checker.ts';

/** Where workflows of the API are described (Arazzo). */
const ARAZZO = '/arazzo.json';

/** Redocly respect: runs every workflow of the Arazzo document against the service. */
export const respect: Checker = {
  name: 'respect',
  modes: ['edge'],
  check: async ({ origin }) => {
    const address = `${origin}${ARAZZO}`;
    if ((await fetch(address)).status === 404) return [absentRow('Redocly respect', `${address} is not there`)];
    const { code, stdout, stderr } = await runChecker('redocly', ['respect', address, '--server', `api=${origin}`]);
    const failed = `${stdout}${stderr}`.split('\n').filter((line) => /✗|failed/i.test(line));
    return [findingsRow('Redocly respect', code === 0 ? [] : failed, `workflows of ${ARAZZO}, description ${PATHS.openApi}`)];
  },
};
