import type { InterfaceStrings } from '../interface-strings.ts';

export const pages: InterfaceStrings['pages'] = {
  capsulesTitle: 'Kapseln',
  capsulesDescription: 'Alle Kapseln nach Art und Schlagwort, jede mit ihrer Aussage, ihrem Beleg und ihrem Status.',
  buyTitle: 'Preisliste',
  buyDescription: 'Alles, was hier verkauft wird, mit Preisen und Bedingungen im Vergleich.',
  pricingTitle: 'Preise und Leistungen',
  pricingDescription: 'Was jedes Angebot kostet und enthält, mit Lieferung, Erstattung und letztem Gültigkeitstag des Preises.',
  checkoutTitle: 'Kasse',
  checkoutDescription: 'So kaufen Sie ein Angebot, und die Kassenadresse jedes Angebots im Katalog.',
  invoiceTitle: 'Kauf auf Rechnung',
  invoiceDescription: 'So fordern Sie eine Rechnung an, statt an der Kasse zu bezahlen, und welche Angaben nötig sind.',
  contactTitle: 'Kontakt',
  contactDescription: 'Wohin Sie Fragen, Korrekturen, Bestellungen und Hinweise auf Sicherheitslücken senden.',
  contactWithoutOffersDescription: 'Wohin Sie Fragen, Korrekturen und Hinweise auf Sicherheitslücken senden.',
  docsTitle: 'Dokumentation',
  docsDescription: 'Wie Menschen und Programme diese Website lesen, abfragen und prüfen und wie sie hier kaufen.',
  docsWithoutOffersDescription: 'Wie Menschen und Programme diese Website lesen, abfragen und prüfen.',
  statusTitle: 'Status',
  statusDescription: 'Was diese Website enthält: Kapseln, Versionen, Quellen, Angebote und der Tag der letzten Änderung.',
  statusWithoutOffersDescription: 'Was diese Website enthält: Kapseln, Versionen, Quellen und der Tag der letzten Änderung.',
};
