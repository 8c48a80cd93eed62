import { createServer } from 'node:net';
import { LOCAL_PORT } from '../../schemas/deployment.ts';
import { UserError } from '../user-error.ts';

/** A port of this machine, and the address of what listens there. */
export interface LocalPort {
  readonly port: number;
  /** Without a slash at the end. */
  readonly address: string;
}

/**
 * The port that `PORT` names, by default {@link LOCAL_PORT}.
 *
 * @param command What the user ran, for the advice to run it on another port.
 * @throws {UserError} If it is no port, or another program listens there.
 */
export async function freePort(setting: string | undefined, command: string): Promise<LocalPort> {
  const port = readPort(setting);
  if (!(await portIsFree(port))) {
    const other = port === LOCAL_PORT + 2 ? LOCAL_PORT : LOCAL_PORT + 2;
    throw new UserError(`port ${port} is in use; stop the program that uses it, or choose another port: PORT=${other} ${command}`);
  }
  return { port, address: port === 80 ? 'http://127.0.0.1' : `http://127.0.0.1:${port}` };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return LOCAL_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UserError(`PORT=${text} is not a port; use a number from 1 to 65535`);
  return port;
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
