import type { InterfaceStrings } from '../interface-strings.ts';

export const refusals: InterfaceStrings['refusals'] = {
  orderMissing: 'Bestellung nicht gefunden',
  orderUnavailable: 'Die Bestellung ist gerade nicht verfügbar',
  checkoutMissing: 'Bezahlvorgang nicht gefunden',
  checkoutUnavailable: 'Die Kasse ist gerade nicht verfügbar',
  deliveryMissing: 'Lieferung nicht gefunden',
  deliveryWithdrawn: 'Diese Lieferung ist nicht mehr verfügbar',
  deliveryUnavailable: 'Die Lieferung ist gerade nicht verfügbar',
  cartUnavailable: 'Der Warenkorb ist gerade nicht verfügbar',
  cartRefused: 'Dieser Warenkorb kann nicht gekauft werden',
  capsuleUnavailable: 'Die Kapsel ist gerade nicht verfügbar',
  nothingCharged: 'Es wurde nichts abgebucht.',
  whatIsWrong: 'Was nicht stimmt',
  whereToGoNext: 'Hier geht es weiter',
  unknownOffer: 'Wir verkaufen kein Angebot namens <offer>{offer}</offer>.',
  orderAdvice:
    'Die Adressen von Bestellungen sind lang: Prüfen Sie, ob Sie die ganze Adresse kopiert haben, öffnen Sie sie aus dem Beleg oder schreiben Sie dem Herausgeber.',
  checkoutAdvice: 'Es wurde nichts abgebucht. Laden Sie diese Seite gleich noch einmal oder beginnen Sie neu bei der Preisliste.',
  deliveryAdvice:
    'Die Seite der Bestellung führt Ihre Downloads auf. Ihre Adresse ist der erste Teil dieser Adresse. Fehlt dort ein Download, schreiben Sie dem Herausgeber.',
  cartAdvice: 'Wählen Sie aus der Preisliste oder fordern Sie eine Rechnung an.',
  capsuleAdvice: 'Laden Sie diese Seite gleich noch einmal oder wählen Sie eine andere Kapsel aus der Liste.',
  formAtItsLimit:
    'Dieses Formular hat sein Tageslimit erreicht und öffnet wieder um Mitternacht UTC. Schreiben Sie dem Herausgeber, oder versuchen Sie es morgen wieder.',
  tryAgainIn: '{reason} Versuchen Sie es in {duration} wieder.',
  seconds: { one: '{count} Sekunde', other: '{count} Sekunden' },
  minutes: { one: '{count} Minute', other: '{count} Minuten' },
  hours: { one: '{count} Stunde', other: '{count} Stunden' },
};
