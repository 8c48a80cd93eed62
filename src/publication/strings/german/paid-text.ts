import type { InterfaceStrings } from '../interface-strings.ts';

export const paidText: InterfaceStrings['paidText'] = {
  heading: 'Der Text',
  note: 'Titel, Zusammenfassung, Angaben, Prüfsummen und Herkunft sind frei. Der Text ist kostenpflichtig.',
  price: 'Preis',
  perResponse: '<price><amount>{price}</amount></price> pro Antwort; dieselbe Zahlung wird nie zweimal abgerechnet',
  paidIn: 'Zahlung',
  token: 'USDC auf {network}',
  testToken: 'USDC auf {network}, einem Testnetz, dessen Token keinen Wert haben',
  whatYouGet: 'Umfang',
  contents: '{words} Markdown, etwa {tokens} Tokens, mit Verweisen auf {sources}',
  proof: 'Nachweis',
  digestIsFree: 'Die <digest>Prüfsumme</digest> des Textes steht in den frei zugänglichen Datensätzen',
  howAgentsPay: 'So bezahlt ein Agent',
  ask: 'Anfragen',
  askText: 'GET auf die folgende Adresse. Die Antwort hat den Status 402; ihre Header und ihr Inhalt nennen Preis und Zahlungsweg.',
  pay: 'Bezahlen',
  payText: 'Ein Client für x402 Version 2 oder MPP liest diese Bedingungen, signiert die Zahlung und wiederholt die Anfrage damit.',
  receive: 'Erhalten',
  receiveText:
    'Ist die Zahlung verbucht, ist die Antwort die Kapsel mit ihrem Text als JSON oder mit „Accept: text/markdown“ der Text allein.',
  getThePrice: 'Den Preis abfragen',
  operation:
    'Die <operation>API-Operation</operation> beschreibt ihre Antworten. Frühere Versionen (<version>?version=</version>) kosten dasselbe.',
};
