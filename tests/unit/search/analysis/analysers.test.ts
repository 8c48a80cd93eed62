import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { analyserFor, analysersFor, STEMMERS } from '../../../../src/search/analysis/analysers.ts';
import { stopWordsOf } from '../../../../src/search/analysis/stop-words.ts';

const terms = (text: string, language: string): string[] => analyse(text, language).map(({ term }) => term);

const SAME_WORD = [
  ['ar', 'المدرسة', 'مدرسة'],
  ['da', 'betalinger', 'betaling'],
  ['da', 'husene', 'hus'],
  ['de', 'Häuser', 'Haus'],
  ['de', 'Kündigungen', 'Kündigung'],
  ['de', 'Zahlungen', 'zahlung'],
  ['de', 'Systeme', 'System'],
  ['de', 'Systems', 'System'],
  ['de', 'Lehrerinnen', 'Lehrer'],
  ['de', 'Groesse', 'Größe'],
  ['de', 'Ueberweisungen', 'ÜBERWEISUNG'],
  ['de', 'Kenntnisse', 'Kenntnis'],
  ['el', 'λογαριασμοί', 'λογαριασμός'],
  ['es', 'canciones', 'canción'],
  ['es', 'hablando', 'hablar'],
  ['es', 'libros', 'libro'],
  ['fi', 'taloissa', 'talo'],
  ['fi', 'laskut', 'lasku'],
  ['fr', 'chevaux', 'cheval'],
  ['fr', 'factures', 'facture'],
  ['fr', 'payée', 'payé'],
  ['hi', 'किताबें', 'किताब'],
  ['hu', 'könyvek', 'könyv'],
  ['hu', 'házak', 'ház'],
  ['id', 'membayar', 'pembayaran'],
  ['it', 'fatture', 'fattura'],
  ['it', 'parlando', 'parlare'],
  ['lt', 'knygos', 'knyga'],
  ['nl', 'boeken', 'boek'],
  ['nl', 'betalingen', 'betaling'],
  ['no', 'bøkene', 'bøker'],
  ['nb', 'husene', 'hus'],
  ['nn', 'betalingar', 'betaling'],
  ['pt', 'livros', 'livro'],
  ['pt', 'falando', 'falar'],
  ['ro', 'facturi', 'factura'],
  ['ro', 'soluții', 'soluție'],
  ['ru', 'книгами', 'книга'],
  ['ru', 'платежи', 'платёж'],
  ['ru', 'читала', 'читать'],
  ['sv', 'flickorna', 'flicka'],
  ['sv', 'betalningar', 'betalning'],
  ['tr', 'kitaplar', 'kitap'],
  ['tr', 'evlerde', 'ev'],
] as const;

describe('analyse() in languages with a stemmer', () => {
  it.each(SAME_WORD)('%s: reads %s as %s', (language, form, other) => {
    expect(terms(form, language)).toEqual(terms(other, language));
    expect(terms(form, language)).toHaveLength(1);
  });

  it.each([
    ['de', 'Haus', 'Hose'],
    ['de', 'Plan', 'Planet'],
    ['de', 'Internet', 'internes'],
    ['de', 'Quelle', 'Quälle'],
    ['fr', 'facture', 'facteur'],
    ['es', 'cuenta', 'cuento'],
    ['ru', 'книга', 'кинжал'],
  ])('%s: keeps %s and %s apart', (language, word, other) => {
    expect(terms(word, language)).not.toEqual(terms(other, language));
  });

  it.each([
    ['de', 'STRASSE', 'Straße'],
    ['de', 'u\u0308ber­weisung', 'Überweisung'],
    ['fr', 'CŒUR', 'coeur'],
    ['fr', 'facilité', 'FACILITÉ'],
    ['es', 'educacion', 'educación'],
    ['es', 'tecnologia', 'tecnología'],
    ['pt', 'informacoes', 'informação'],
    ['pt', 'disponivel', 'disponível'],
    ['pt', 'importancia', 'importância'],
    ['no', 'oyer', 'øyer'],
    ['sv', 'fordel', 'fördel'],
    ['pl', 'Łódź', 'lodz'],
    ['ro', 'soluţie', 'soluție'],
    ['ru', 'ёлка', 'елка'],
    ['ru', 'за\u0301мок', 'замок'],
    ['el', 'ΔΡΟΜΟΣ', 'δρόμος'],
    ['ar', 'مُحَمَّد', 'محمد'],
    ['tr', 'IŞIK', 'ışık'],
    ['tr', 'İSTANBUL', 'istanbul'],
    ['tr', 'API', 'api'],
    ['tr', 'ışık', 'isik'],
  ])('%s: folds %s like %s', (language, form, other) => {
    expect(terms(form, language)).toEqual(terms(other, language));
  });

  it('leaves numbers, names in other letters and data as they are', () => {
    expect(terms('sha256 APIs', 'ru')).toEqual(['sha256', 'sha', '256', 'apis']);
    expect(terms('книгами', 'de')).toEqual(['книгами']);
    expect(terms('x'.repeat(60), 'de')).toEqual(['x'.repeat(60)]);
  });

  it.each([
    ['de', 'Wie kann ich die Rechnung bezahlen?', 'Rechnung bezahlen'],
    ['de', 'Was koennen wir fuer die Groesse', 'Größe'],
    ['fr', 'Où est-ce que la facture se trouve dans le dossier', 'facture trouve dossier'],
    ['es', '¿Cómo puedo pagar la factura?', 'pagar factura'],
    ['it', "Dove trovo la fattura dell'ordine?", 'trovo fattura ordine'],
    ['pt', 'Como eu pago a fatura', 'pago fatura'],
    ['nl', 'Hoe kan ik de factuur betalen', 'factuur betalen'],
    ['sv', 'Hur betalar jag min faktura', 'betalar faktura'],
    ['da', 'Hvor er min faktura', 'faktura'],
    ['nb', 'Hvordan betaler jeg den fakturaen', 'betaler fakturaen'],
    ['fi', 'Mikä on minun laskuni', 'laskuni'],
    ['ru', 'Как мне оплатить этот счёт', 'оплатить счёт'],
    ['hu', 'Hogyan fizetem ki a számlát', 'fizetem számlát'],
    ['ro', 'Unde este factura și când', 'factura'],
    ['tr', 'Bu fatura için ne kadar', 'fatura'],
    ['el', 'Πού είναι ο λογαριασμός και το βιβλίο', 'Πού λογαριασμός βιβλίο'],
  ])('%s: drops the stop words of "%s"', (language, text, content) => {
    expect(terms(text, language)).toEqual(terms(content, language));
  });

  it.each([
    ['aufeinanderfolgenden', 'aufeinanderfolg'],
    ['bergsteigerinnen', 'bergsteig'],
    ['handeln', 'handel'],
    ['feierlichkeiten', 'feierlich'],
    ['neue', 'neu'],
    ['quer', 'quer'],
    ['systemen', 'system'],
    ['tickets', 'ticket'],
    ['gesundheit', 'gesund'],
    ['herrlichsten', 'herrlich'],
  ])('stems the German word %s to %s', (word, stem) => {
    expect(terms(word, 'de')).toEqual([stem]);
  });

  it('keeps words of the lists that people search for', () => {
    expect(terms('ejemplo de uso del lenguaje C', 'es')).toHaveLength(4);
    expect(terms('cikk és évek', 'hu')).toHaveLength(2);
    expect(terms('жизнь человека', 'ru')).toHaveLength(2);
  });
});

describe('analyse() in English', () => {
  it.each(
    [
      'add adds added adding',
      'embed embeds embedded embedding',
      'bus buses',
      'alias aliases aliased',
      'status statuses',
      'index indices indexes indexing',
      'virus viruses',
      'focus focuses focused focusing',
      'bias biases biased',
      'analysis analyses',
      'crisis crises',
      'thesis theses',
      'axis axes',
      'criterion criteria',
      'exceed exceeds exceeded exceeding',
      'university universities',
      'organize organizes organized organizing organization organizations',
      'menu menus',
      'GPU GPUs',
      'egg eggs egged',
    ].map((forms) => [forms]),
  )('reads %s as forms of one word', (forms) => {
    const words = forms.split(' ');
    expect(words.map((word) => terms(word, 'en'))).toEqual(words.map(() => terms(words[0] ?? '', 'en')));
  });

  it.each([
    ['new', 'news'],
    ['universe', 'university'],
    ['organ', 'organize'],
    ['organ', 'organic'],
    ['author', 'authorize'],
    ['even', 'evening'],
    ['vertical', 'vertices'],
    ['base', 'basis'],
    ['ad', 'add'],
  ])('keeps %s and %s apart', (word, other) => {
    expect(terms(word, 'en')).not.toEqual(terms(other, 'en'));
  });
});

describe('stopWordsOf()', () => {
  it('gives sets of words as they are met, none for languages without a list', () => {
    for (const reading of [...STEMMERS.keys(), 'und']) {
      for (const word of stopWordsOf(reading)) expect(word).toBe(word.toLowerCase().normalize('NFC'));
    }
    expect(stopWordsOf('und').size).toBe(0);
    expect(stopWordsOf('lt').size).toBe(0);
    expect(stopWordsOf('de').size).toBeGreaterThan(200);
  });
});

describe('analyserFor()', () => {
  it.each([
    ['en-GB', 'en'],
    ['EN', 'en'],
    ['de-AT', 'de'],
    ['de_CH', 'de'],
    ['nb', 'no'],
    ['nn-NO', 'no'],
    ['in', 'id'],
    ['zh-Hant', 'und'],
    ['pl', 'und'],
    ['deu', 'und'],
    ['x-de', 'und'],
    ['', 'und'],
    ['constructor', 'und'],
  ])('reads %j as %s', (language, reading) => {
    expect(analyserFor(language)).toBe(reading);
    expect(analyserFor(reading)).toBe(reading);
  });
});

describe('analysersFor()', () => {
  it('gives distinct analysers, English first, the others ascending', () => {
    expect(analysersFor(['zh', 'nn', 'de-AT', 'nb', 'en-GB', 'pl', 'de', 'en'])).toEqual(['en', 'de', 'no', 'und']);
    expect(analysersFor(new Set(['ja', 'fr']))).toEqual(['fr', 'und']);
    expect(analysersFor([])).toEqual([]);
  });
});
