import { capsuleFiles, documentFiles } from '../../documents/document-files.ts';
import type { DocumentFile } from '../../publication/publication.ts';
import { blockPath } from '../../schemas/paths.ts';
import type { LiveState } from './live-publication.ts';

/** Addresses of documents, among others; pages and what they load have none of these endings. */
const CAN_BE_DOCUMENT = /^\/\.well-known\/|\.(md|json|jsonl|jsonld|txt|xml|ndjson)$/;

/** A file below the page of a capsule. */
const OF_CAPSULE = /^\/capsules\/([a-z0-9-]+)(?:\.md|\/[^/]+)$/;

/** The documents of one state of the publication, each made when it is asked for. */
export class LiveDocuments {
  readonly #state: LiveState;
  #all: Promise<ReadonlyMap<string, DocumentFile>> | undefined;

  constructor(state: LiveState) {
    this.#state = state;
  }

  /** The document at an address; `undefined` if there is none. */
  async read(path: string): Promise<(Omit<DocumentFile, 'body'> & { readonly body: string | Uint8Array }) | undefined> {
    if (path.startsWith(blockPath(''))) {
      const bytes = this.#state.made.generation.blocks.get(path.slice(blockPath('').length));
      return bytes && { path, contentType: 'application/octet-stream', body: bytes };
    }
    if (!CAN_BE_DOCUMENT.test(path)) return undefined;
    const id = OF_CAPSULE.exec(path)?.[1];
    if (id !== undefined) return (await this.ofCapsule(id)).find((file) => file.path === path);
    this.#all ??= this.#makeAll();
    return (await this.#all).get(path);
  }

  /** The documents of one capsule: its text for agents, its versions, its JSON and its lineage. */
  async ofCapsule(id: string): Promise<DocumentFile[]> {
    const capsule = await this.#state.documentCapsule(id);
    return capsule === undefined ? [] : capsuleFiles(capsule, this.#state.surroundings());
  }

  async #makeAll(): Promise<ReadonlyMap<string, DocumentFile>> {
    const publication = await this.#state.publication();
    return new Map(documentFiles(publication).map((file) => [file.path, file]));
  }
}
