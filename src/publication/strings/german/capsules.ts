import type { InterfaceStrings } from '../interface-strings.ts';

export const capsules: InterfaceStrings['capsules'] = {
  noneYet: 'Es ist noch keine Kapsel veröffentlicht.',
  basis: '{capsules}, gestützt auf {sources}.',
  basisWithExceptions: '{capsules}, gestützt auf {sources}; {exceptions}, gekennzeichnet und weiterhin lesbar.',
  countedCapsules: { one: '{count} Kapsel', other: '{count} Kapseln' },
  countedSources: { one: '{count} Quelle', other: '{count} Quellen' },
  countedWords: { one: '{count} Wort', other: '{count} Wörter' },
  countedSuperseded: '{count} ersetzt',
  countedRetracted: '{count} zurückgezogen',

  status: 'Status',
  evidence: 'Beleg',
  text: 'Text',
  type: 'Art',
  sources: 'Quellen',
  version: 'Version',
  tags: 'Schlagwörter',
  versionAndDay: '<version>{version}</version>, <date>{date}</date>',

  retractedMeaning: 'Diese Kapsel wurde zurückgezogen; verlassen Sie sich nicht auf sie.',
  supersededMeaning: 'Eine neuere Kapsel ersetzt diese.',
  statusOfCapsule: 'Status dieser Kapsel',
  readInstead: 'Lesen Sie stattdessen: <capsule>{title}</capsule>',

  sourceBackToText: 'Quelle {number}: zurück zum Text',
  retrievedSource: '{publisher} · {kind} · gelesen am <date>{date}</date> · <host>{host}</host>',
  permanentSource: '{publisher} · {kind} · dauerhafte Adresse · <host>{host}</host>',

  verify: 'Prüfen',
  colophon: 'Angaben zum Text',
  citeThis: 'Zitieren',
  relatedCapsules: 'Verwandte Kapseln',
  exactText: 'Genauer Wortlaut der Version {version}',
  lineageAsJson: 'Herkunft als JSON',
  plainText: 'Text',
  citation: '{publisher}: „{title}“. Version {version}, {date}. {url} (SHA-256 {digest}…).',
};
