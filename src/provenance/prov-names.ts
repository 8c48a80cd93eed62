/** An address or a DID in two parts, the first of which ends with a character that JSON-LD lets a prefix end with. */
const SPLIT = /^(https?:\/\/[^/?#]+\/|did:[a-z0-9]+:)((?!\/\/).*)$/;

/**
 * Qualified names for addresses, as PROV-JSONLD wants ids to be: a prefix that the document declares, and the rest. Tools for PROV
 * refuse an id whose prefix is not declared, and would take that of a whole address for one; JSON-LD puts the two together again.
 *
 * @see PROV-JSONLD section 4.1 (QualifiedName), JSON-LD 1.1 section 4.1.5 (compact IRIs).
 */
export class ProvNames {
  readonly #baseUrl: string;
  readonly #prefixes = new Map<string, string>();
  #origins = 0;

  /** @param baseUrl Origin of the site, which gets the prefix `site`. */
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#prefixes.set(`${baseUrl}/`, 'site');
  }

  /**
   * Name of a root-relative or absolute address, or of a DID. Where there is nothing to put a prefix to (an origin without a slash)
   * it is the address itself, which JSON-LD takes too.
   */
  of(uri: string): string {
    const whole = uri.startsWith('/') ? this.#baseUrl + uri : uri;
    const [, namespace, rest] = SPLIT.exec(whole) ?? [];
    return namespace === undefined ? whole : `${this.#prefixOf(namespace)}:${rest}`;
  }

  /** Prefixes of the names given so far, with what they stand for. */
  prefixes(): Record<string, string> {
    return Object.fromEntries([...this.#prefixes].map(([namespace, prefix]) => [prefix, namespace]));
  }

  #prefixOf(namespace: string): string {
    const known = this.#prefixes.get(namespace);
    if (known !== undefined) return known;
    const prefix = this.#newPrefix(namespace);
    this.#prefixes.set(namespace, prefix);
    return prefix;
  }

  /** A prefix called "did" would be defined by itself, which JSON-LD refuses; so DIDs get one with their method. */
  #newPrefix(namespace: string): string {
    if (namespace.startsWith('did:')) return `did_${namespace.slice('did:'.length, -1)}`;
    this.#origins += 1;
    return `web${this.#origins}`;
  }
}
