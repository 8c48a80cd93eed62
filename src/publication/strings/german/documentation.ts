import type { InterfaceStrings } from '../interface-strings.ts';

export const documentation: InterfaceStrings['documentation'] = {
  lead: 'Wie Sie diese Website im Browser oder mit einem Programm lesen, abfragen und prüfen und wie Sie hier kaufen. Die Anleitungen und die API-Referenz sind auf Englisch.',
  forMachines: 'Für Maschinen',
  usingTheApi: 'Die API nutzen',
  verifying: 'Prüfen',
  buying: 'Kaufen',
  contributing: 'Mitwirken',
  apiReference: 'API-Referenz',
  thisSite: 'Diese Website',

  leadWithoutOffers:
    'Wie Sie diese Website im Browser oder mit einem Programm lesen, abfragen und prüfen. Die Anleitungen und die API-Referenz sind auf Englisch.',
  statusLead: 'Was veröffentlicht ist und wann es sich zuletzt geändert hat.',
  newestChange: 'Letzte Änderung',
  capsules: 'Kapseln',
  superseded: 'Ersetzt',
  retracted: 'Zurückgezogen',
  versions: 'Versionen',
  distinctSources: 'Verschiedene Quellen',
  words: 'Wörter',
  offers: 'Angebote',
  corpusDigest: 'Prüfsumme des Korpus',
  corpusVersion: 'Version des Korpus',
  signingKey: 'Signaturschlüssel',
  sourceCommit: 'Commit des Quellcodes',
  noSigningKey: 'keiner: Die Datensätze sind nicht signiert',
  liveHealth: 'Diese Zahlen beschreiben den Stand der Veröffentlichung. Aktueller Zustand: <status><path>{path}</path></status>',
  noLiveHealth: 'Diese Website besteht aus statischen Dateien und hat keinen laufenden Dienst.',

  notFound: 'Seite nicht gefunden',
  notFoundDescription:
    'Unter dieser Adresse gibt es keine Seite. Links führen zu den Kapseln, zur Preisliste, zur Dokumentation und zum Verzeichnis für Agenten.',
  notFoundWithoutOffersDescription:
    'Unter dieser Adresse gibt es keine Seite. Links führen zu den Kapseln, zur Dokumentation und zum Verzeichnis für Agenten.',
  notFoundLead:
    'Veröffentlichte Kapseln und Angebote behalten ihre Adresse, auch wenn sie ersetzt oder zurückgezogen wurden. Prüfen Sie die Adresse auf Tippfehler.',
  notFoundWithoutOffersLead:
    'Veröffentlichte Kapseln behalten ihre Adresse, auch wenn sie ersetzt oder zurückgezogen wurden. Prüfen Sie die Adresse auf Tippfehler.',
  takenDown: 'Dieser Text wurde entfernt',
  takenDownLead: 'Der Herausgeber hat diese Kapsel mit allen Versionen endgültig entfernt. Es bleibt die Erklärung, dass es sie gab.',
  takenDownId: 'Kapsel',
  takenDownDay: 'Entfernt am',
  takenDownReason: 'Grund',
  takenDownRemains: 'Erklärung',
  whereToGoNext: 'Hier geht es weiter',
  capsulesNote: 'alles, was diese Website weiß',
  priceListNote: 'jedes Angebot mit seinen Bedingungen',
  documentationNote: 'Anleitungen und API-Referenz',
  llmsNote: 'Verzeichnis für Agenten',
  sitemapNote: 'die Adressen aller Seiten',
};
