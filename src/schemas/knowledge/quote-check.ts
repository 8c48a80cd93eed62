import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Id, Sha256Hex, Uri, Version } from '../primitives.ts';
import { CapsuleStatus } from './capsule.ts';
import { Range } from './result-passage.ts';

/** Whether a capsule contains a quotation. */
export const QuoteCheck = z.object({
  capsule_id: Id.describe('Id of the capsule.'),
  version: Version.describe('Version whose text was searched.'),
  title: z.string().describe('Title of the capsule.'),
  status: CapsuleStatus.describe('Status of the capsule.'),
  verdict: z
    .enum(['exact', 'white_space_differs', 'not_found'])
    .describe(
      'exact: the text contains the quotation word for word. white_space_differs: it does, with other spaces or line breaks. not_found: it does not.',
    ),
  ranges: z
    .array(Range)
    .max(LIMITS.passagesMax)
    .describe('The first places of the quotation: slice(start, end) of the exact text, in UTF-16 code units.'),
  url: Uri.describe('Page of the capsule.'),
  markdown_url: Uri.optional().describe('The exact text.'),
  lineage_url: Uri.describe('Lineage, which proves the text offline.'),
  content_sha256: Sha256Hex.describe('SHA-256 of the exact text.'),
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
});
export type QuoteCheck = z.infer<typeof QuoteCheck>;
