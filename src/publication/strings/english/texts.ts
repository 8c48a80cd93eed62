/** Words that the engine adds to the texts of a publisher. */
export const texts = {
  table: 'Table',
  formula: 'Formula',
  diagram: 'Diagram',
  diagramSource: 'Diagram as text',
  footnotes: 'Footnotes',
  backToReference: 'Back to the text',
  details: 'Details',
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
} as const;
