import type { InterfaceStrings } from '../interface-strings.ts';

export const terms: InterfaceStrings['terms'] = {
  status_current: 'Aktuell',
  status_superseded: 'Ersetzt',
  status_retracted: 'Zurückgezogen',

  type_concept: 'Konzept',
  type_protocol: 'Protokoll',
  type_practice: 'Praxis',
  type_comparison: 'Vergleich',
  type_measurement: 'Messung',
  type_reference: 'Referenz',

  evidence_opinion: 'Einschätzung',
  evidence_reported: 'berichtet',
  evidence_documented: 'dokumentiert',
  evidence_specified: 'spezifiziert',
  evidence_measured: 'gemessen',
  meaning_opinion: 'ein Urteil des Herausgebers',
  meaning_reported: 'vom Herausgeber oder aus zweiter Hand berichtet',
  meaning_reported_own: 'vom Autor berichtet, ohne Angabe einer Quelle',
  meaning_documented: 'von der zuständigen Stelle dokumentiert',
  meaning_specified: 'in einer veröffentlichten Spezifikation oder Norm festgelegt',
  meaning_measured: 'durch Ausführen oder Nachrechnen geprüft',

  kind_standard: 'Norm',
  kind_specification: 'Spezifikation',
  kind_documentation: 'Dokumentation',
  kind_source_code: 'Quellcode',
  kind_paper: 'Fachaufsatz',
  kind_article: 'Artikel',

  derived_from: 'ist abgeleitet von',
  cites: 'zitiert',
  supersedes: 'ersetzt',
  derived_from_reverse: 'ist Grundlage von',
  cites_reverse: 'wird zitiert von',
  supersedes_reverse: 'wird ersetzt durch',
};
