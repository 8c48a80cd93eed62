import { PATHS } from '../../schemas/paths.ts';
import { readNamed } from './gather-proof.ts';
import { looseObject, readLoosely } from './loose-json.ts';
import { httpAddress, isLoopback, UnreadableError } from './site-reader.ts';

/** Address of the document of a did:web (did:web method, section 3.2): https, and http on this machine alone. */
function didAddress(did: string): string {
  const [authority = '', ...folders] = did.slice('did:web:'.length).split(':');
  const path = folders.length > 0 ? `/${folders.join('/')}/did.json` : PATHS.did;
  const host = authority.replace(/%3A/i, ':');
  const url = /^[\w.-]+(:\d+)?$/.test(host) ? httpAddress(`https://${host}${path}`) : undefined;
  // A name with a query, a fragment or dot segments would lead to another document than the method says.
  if (url === undefined || url.pathname !== path || url.search + url.hash !== '') throw new UnreadableError(`${did}: is no did:web`);
  return isLoopback(url.hostname) ? url.href.replace('https', 'http') : url.href;
}

/**
 * Reads what a person trusts: a file or an address with a JWK Set or a DID document, or the document of a did:web.
 *
 * @throws {UnreadableError} If it cannot be read, if its address is not protected, or if it is the document of another DID.
 */
export async function readTrustNamed(name: string): Promise<Uint8Array> {
  if (name.startsWith('did:')) {
    if (!name.startsWith('did:web:')) throw new UnreadableError(`${name}: only did:web can be looked up`);
    const document = await readNamed(didAddress(name));
    if (readLoosely(document)['id'] !== name) throw new UnreadableError(`${name}: the document there is that of another identity`);
    return document;
  }
  const url = httpAddress(name);
  if (url?.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UnreadableError(`${name}: keys from an address without https prove nothing`);
  return readNamed(name);
}

/** Identity that a trust names, if it names one. */
export function identityOf(trust: Uint8Array): string | undefined {
  const { keys, issuer, id } = looseObject(readLoosely(trust));
  const identity = keys === undefined ? id : issuer;
  return typeof identity === 'string' ? identity : undefined;
}
