import type { ENGLISH } from '../publication/strings/interface-strings.ts';

/** The sentences that the panel of verification shows from its script: readers download these and no others. */
export function verifyStrings(v: (typeof ENGLISH)['verification']) {
  return {
    /** By check: what it shows if it passed, in a few words and in a sentence, and why it may not have run. */
    meanings: {
      json: [v.json, v.jsonMeaning],
      form: [v.form, v.formMeaning],
      subject: [v.subject, v.subjectMeaning],
      records: [v.records, v.recordsMeaning],
      chain: [v.chain, v.chainMeaning],
      head: [v.head, v.headMeaning],
      fresh: [v.fresh, v.freshMeaning, v.freshNotRun],
      text: [v.text, v.textMeaning, v.textNotRun],
      fields: [v.fields, v.fieldsMeaning],
      signature: [v.signature, v.signatureMeaning, v.signatureNotRun],
    },
    noEd25519: v.noEd25519,
    notRunAfterFailure: v.notRunAfterFailure,
    fetching: v.fetching,
    checking: v.checking,
    allPassed: v.allPassed,
    allPassedUnsigned: v.allPassedUnsigned,
    allPassedButSignatures: v.allPassedButSignatures,
    notSigned: v.notSigned,
    failures: v.failures,
    notFetched: v.notFetched,
    noResponse: v.noResponse,
    notLoaded: v.notLoaded,
    foreignText: v.foreignText,
    nothingChecked: v.nothingChecked,
    verifyAgain: v.verifyAgain,
    tryAgain: v.tryAgain,
  } as const;
}
