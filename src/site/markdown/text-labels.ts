import type { AdmonitionTitles } from './admonitions.ts';

/** Words that the site adds to a text. */
export interface TextLabels {
  readonly table: string;
  readonly formula: string;
  readonly diagram: string;
  /** Names the text that a diagram was drawn from. */
  readonly diagramSource: string;
  readonly footnotes: string;
  readonly backToReference: string;
  readonly admonitions: AdmonitionTitles;
}

/** {@link TextLabels} in English. */
export const TEXT_LABELS: TextLabels = {
  table: 'Table',
  formula: 'Formula',
  diagram: 'Diagram',
  diagramSource: 'Diagram as text',
  footnotes: 'Footnotes',
  backToReference: 'Back to the text',
  admonitions: { note: 'Note', tip: 'Tip', important: 'Important', warning: 'Warning', caution: 'Caution' },
};
