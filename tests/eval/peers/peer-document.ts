import type { EvalDocument } from '../collection.ts';

/** A document as every peer gets it. */
export interface PeerDocument {
  readonly id: string;
  readonly title: string;
  /** Everything but the title. */
  readonly body: string;
}

/** Peers know two fields: what else a document has goes into its body. */
export function peerDocument({ id, title, headings, tags, summary, text }: EvalDocument): PeerDocument {
  return { id, title, body: [summary, ...headings, ...tags, text].filter((part) => part !== '').join('\n') };
}
