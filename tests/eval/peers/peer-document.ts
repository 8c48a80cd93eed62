import type { EvalDocument } from '../collection.ts';

export interface PeerDocument {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** A document with two fields: the body contains all other members. */
export function peerDocument({ id, title, headings, tags, summary, text }: EvalDocument): PeerDocument {
  return { id, title, body: [summary, ...headings, ...tags, text].filter((part) => part !== '').join('\n') };
}
