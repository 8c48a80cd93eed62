import type { InterfaceStrings } from '../interface-strings.ts';

export const texts: InterfaceStrings['texts'] = {
  table: 'Tabelle',
  formula: 'Formel',
  diagram: 'Diagramm',
  diagramSource: 'Diagramm als Text',
  footnotes: 'Fußnoten',
  backToReference: 'Zurück zum Text',
  details: 'Einzelheiten',
  note: 'Hinweis',
  tip: 'Tipp',
  important: 'Wichtig',
  warning: 'Warnung',
  caution: 'Vorsicht',
};
