import type { CapsuleState, CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import { capsulePath } from '../../schemas/paths.ts';
import english from '../../text/strings/en-documents.json' with { type: 'json' };
import { dateLocale, formatMessage } from '../../text/strings/message-format.ts';

/** Sentences about the state of a capsule. Documents and protocols are in English, pages in the language of the interface. */
export interface StateWords {
  readonly language: string;
  readonly sentences: Readonly<
    Record<
      'retractedTitle' | 'supersededTitle' | 'retractedOn' | 'supersededOn' | 'replacedBy' | 'status_retracted' | 'status_superseded',
      string
    >
  >;
  readonly formatDay: (isoDate: string) => string;
}

type Sentences = StateWords['sentences'];

export function stateWords(language: string, capsules: Omit<Sentences, keyof StatusNames>, terms: StatusNames): StateWords {
  const days = new Intl.DateTimeFormat(dateLocale(language), { dateStyle: 'long', timeZone: 'UTC' });
  return { language, sentences: { ...capsules, ...terms }, formatDay: (isoDate) => days.format(new Date(isoDate)) };
}

type StatusNames = Pick<Sentences, 'status_retracted' | 'status_superseded'>;

const ENGLISH: StateWords = { language: 'en', sentences: { ...english.capsules, ...english.terms }, formatDay: (isoDate) => isoDate };

export function stateOf({ status, status_reason, status_date, superseded_by }: CapsuleState): CapsuleState {
  return {
    status,
    ...(status_reason === undefined ? {} : { status_reason }),
    ...(status_date === undefined ? {} : { status_date }),
    ...(superseded_by === undefined ? {} : { superseded_by }),
  };
}

/** The title of a capsule for readers who see no other member of it, `Retracted: A title`: a title states a claim. */
export function statedTitle({ title, status }: Pick<CapsuleSummary, 'title' | 'status'>, { sentences, language } = ENGLISH): string {
  return status === 'current' ? title : formatMessage(sentences[`${status}Title`], { title }, language);
}

/** Since when and why a capsule is not current, and what replaces it, by its id or the title that is given; empty for a current one. */
export function stateNote(capsule: CapsuleState, words = ENGLISH, replacement = capsule.superseded_by): string {
  if (capsule.status === 'current') return '';
  return replacement === undefined ? stateReason(capsule, words) : `${stateReason(capsule, words)} ${replacedBy(replacement, words)}`;
}

export function stateReason({ status, status_reason, status_date }: CapsuleState, { sentences, language, formatDay } = ENGLISH): string {
  if (status === 'current') return '';
  const since =
    status_date === undefined
      ? sentences[`status_${status}`]
      : formatMessage(sentences[`${status}On`], { date: formatDay(status_date) }, language);
  const text = status_reason === undefined ? since : `${since}: ${status_reason}`;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function replacedBy(replacement: string, { sentences, language } = ENGLISH): string {
  return formatMessage(sentences.replacedBy, { capsule: replacement }, language);
}

/** What a capsule says in one line: its claim, and instead of it the state of a capsule that is not current. */
export function statedSummary(capsule: CapsuleState & Pick<CapsuleSummary, 'summary'>, words = ENGLISH): string {
  return stateNote(capsule, words) || capsule.summary;
}

/** The state of a capsule in the vocabulary of schema.org (creativeWorkStatus, correction, expires); nothing for a current one. */
export function stateData(capsule: CapsuleState, baseUrl: string, words = ENGLISH): Readonly<Record<string, unknown>> {
  const { status, status_date: date, superseded_by } = capsule;
  if (status === 'current') return {};
  return {
    creativeWorkStatus: english.terms[`status_${status}`],
    ...(date === undefined ? {} : { expires: date }),
    correction: {
      '@type': 'CorrectionComment',
      text: stateNote(capsule, words),
      ...(date === undefined ? {} : { datePublished: date }),
      ...(superseded_by === undefined ? {} : { url: baseUrl + capsulePath(superseded_by) }),
    },
  };
}
