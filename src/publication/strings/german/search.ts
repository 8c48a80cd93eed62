import type { InterfaceStrings } from '../interface-strings.ts';

export const search: InterfaceStrings['search'] = {
  lead: 'Findet, was diese Website zu einer Frage oder zu Wörtern sagt.',
  question: 'Frage oder Wörter',
  submit: 'Suchen',
  results: 'Ergebnisse',
  countedResults: { one: '{count} Ergebnis', other: '{count} Ergebnisse' },
  nothing: 'Diese Wörter kommen hier nicht vor. Versuchen Sie andere, oder sehen Sie die Listen durch.',
  onlyNear: 'Nichts passt zur ganzen Frage. Das hier kommt ihr am nächsten.',
  otherWords: 'Meinen Sie <query>{query}</query>?',
  lists: 'Listen',
  more: 'Weitere Ergebnisse',
  capsule: 'Kapsel',
  guide: 'Dokumentation',
  offer: 'Angebot',
  error: 'Fehler der API',
  needsScript: 'Die Suche braucht hier JavaScript.',
};
