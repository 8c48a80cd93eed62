import type { CapsuleStatus } from '../../src/schemas/knowledge/capsule.ts';
import { CapsuleType } from '../../src/schemas/knowledge/capsule-fields.ts';
import { EVIDENCE_LEVELS } from '../../src/schemas/knowledge/kinds-and-levels.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';
import { below, oneOf, type Random, seededRandom } from '../eval/random.ts';

/** English function words, frequent ones repeated. */
const GLUE_WORDS: readonly string[] =
  `the the the the the the of of of and and and to to to a a a in in is is that for it as with on be by this are or an from at
  not can if when which has must may only then than was will each any its all no but into other such these those after before
  while between through where more most how what whether until without within during both either does should would could
  because so once per too very their there they them he she we you your our us one own same some few further`.split(/\s+/);

/** English words of technical prose, most frequent first. */
const COMMON_WORDS: readonly string[] =
  `value request response server client data file user name type service example system key list number time state error
  page field record index query result process address code method default text change version set use call return size
  point format order build part line store cache message event token group table path node test rule limit object string
  array class function module package source target input output read write update delete create start stop open close send
  receive check copy move load save run wait sign verify encode decode parse render match search filter sort count merge
  split join map reduce access policy role permission account session login password secret certificate digest hash
  signature header body status cookie proxy gateway router host domain network port socket stream buffer queue topic
  channel worker thread task job schedule timer retry timeout deadline delay rate quota budget price cost charge invoice
  payment offer customer agent model prompt answer document chapter section paragraph sentence word term language
  translation locale date month year day hour minute second zone measure metric figure average median sample range share
  total rest unit weight height width length depth area volume speed memory disk block snapshot backup restore mirror
  replica shard partition cluster region edge origin root leaf branch commit tag release deploy rollback migration schema
  column row constraint trigger view cursor transaction lock isolation consistency durability availability latency
  throughput traffic burst peak capacity scale growth failure fault recovery alert log trace span dashboard report audit
  review approval owner team member contact support ticket issue question reason cause effect risk benefit purpose scope
  goal plan step stage phase cycle loop condition case option choice setting parameter argument variable constant property
  attribute element component layout style color image icon button link menu window dialog form label keyboard mouse
  pointer screen device sensor battery signal antenna frequency voltage current power energy heat pressure flow valve pump
  motor gear wheel frame bridge beam plate surface material particle cell tissue organ protein gene dose trial patient
  clinic nurse symptom therapy market stock bond yield interest credit debt asset profit margin revenue tax law court
  contract clause party claim evidence witness statement fact theory proof experiment observation conclusion estimate bound
  vector matrix graph tree vertex distance angle plane curve slope series`.split(/\s+/);

// No syllable is an ending that a stemmer removes, so that two words rarely have the same stem.
const ONSETS = 'bdfghjklmnprstvz';
const VOWELS = 'aiou';
const SYLLABLES = ['', 'n'].flatMap((coda) => [...ONSETS].flatMap((onset) => [...VOWELS].map((vowel) => onset + vowel + coda)));

/** Ranks below this are short words, which are also parts of names. */
const HEAD_RANKS = 64;

/** Word `rank` of the infinite invented vocabulary `scope`; the same on every machine. */
function inventedWord(scope: number, rank: number): string {
  const hash = mix(scope, rank);
  const short = syllable(hash) + syllable(hash >>> 7) + syllable(hash >>> 14);
  if (rank < HEAD_RANKS) return short;
  // Names as in code, whose whole and parts are terms.
  if (hash % 23 === 0) return inventedWord(scope, (hash >>> 8) % HEAD_RANKS) + capitalised(syllable(hash >>> 21) + syllable(hash >>> 9));
  if (hash % 97 === 0) return `${short}${hash >>> 25}`;
  return short + syllable(hash >>> 21);
}

const generalWord = (rank: number): string => COMMON_WORDS[rank] ?? inventedWord(0, rank);

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A 32-bit hash of two numbers (the finaliser of MurmurHash3). */
function mix(a: number, b: number): number {
  let hash = Math.imul(a >>> 0, 0x9e3779b1) ^ Math.imul(b >>> 0, 0x85ebca6b) ^ 0x27d4eb2f;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function syllable(bits: number): string {
  return SYLLABLES[bits & 127] as string;
}

/** Seed of all synthetic corpora of benchmarks, so that runs index the same documents. */
export const BENCH_SEED = 1;

export interface SyntheticQuery {
  readonly text: string;
  /** `title`: five or six words of a title; `sentence`: a sentence with about ten indexed words. */
  readonly style: 'title' | 'sentence';
  readonly id: string;
}

const TOPICS = 400;
/** Topics with the same number modulo this share a vocabulary. */
const AREAS = 40;
const TOPIC_PHRASES = 48;
const GENERAL_PHRASES = 600;
const TAGS = 320;
const TAG_SCOPE = 1_000;

/** The subject of a document, drawn once and repeated in its text. A third of the rare words belongs to the area, the others to the topic. */
const RARE_WORDS = 13;
const GENERAL_WORDS = 40;
const PHRASES = 20;

/**
 * Word ranks are drawn with P(rank >= r) = (1 + r / OFFSET) ^ -TAIL, whose distinct words grow with the number of draws to the power of
 * 1 / (1 + TAIL) = 0.69, as in real documentation from a thousand to a million documents.
 */
const TAIL = 0.45;
const OFFSET = 12;
const LICENSES = ['CC-BY-4.0', 'CC-BY-4.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'CC0-1.0', 'Apache-2.0'];
const STATUSES = [...Array<CapsuleStatus>(18).fill('current'), 'superseded', 'retracted'] as const;
const LANGUAGES = ['en', 'en', 'en', 'en', 'en', 'en', 'en', 'en-GB', 'en-GB', 'en-US'];

/** 2020-01-01 in days since 1970-01-01. */
const FIRST_DAY = 18_262;
const DAYS = 2_500;
const ZIPF_OFFSET = 12;

/** Words that all texts share, with frequencies by Zipf's law. */
const GENERAL = frequencyTable(3_000, 16_384);
const generalPhrases = Array.from({ length: GENERAL_PHRASES }, (_, phrase) => phraseOf(0, phrase, general));
const topicPhrases: (readonly string[] | undefined)[] = [];

/**
 * Documents like capsules, of invented words with topics, recurring phrases and rare words. The same count and seed give the same documents,
 * and the first n documents do not depend on the count.
 *
 * About 88 distinct terms for each document, and 14,600 distinct terms in a thousand documents, 74,000 in ten thousand, 308,000 in a hundred
 * thousand, 1.7 million in a million, as measured on technical documentation.
 *
 * Their attributes are those of `CAPSULE_COLUMNS`; nine of ten are current. All are in English, so that a query is analysed once.
 */
export function* syntheticDocuments(count: number, seed: number): Generator<SearchDocument> {
  for (let number = 0; number < count; number++) yield syntheticDocument(number, seed);
}

/** A document as the file of a capsule; some pages of real corpora have no title. */
export function capsuleText({ id, title, tags, body }: SearchDocument): string {
  return `---\ntitle: ${JSON.stringify((title.trim() || id).slice(0, 190))}\ntags: ${JSON.stringify(tags.slice(0, 6))}\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\n\n${body}\n`;
}

/** Queries for known items among the first `documents` of {@link syntheticDocuments}, alternately of both styles. */
export function* syntheticQueries(count: number, seed: number, documents: number): Generator<SyntheticQuery> {
  const random = seededRandom(mix(seed, 0x51));
  for (let query = 0; query < count; query++) {
    const { id, title, body } = syntheticDocument(below(random, documents), seed);
    if (query % 2 === 0) {
      yield { text: title, style: 'title', id };
      continue;
    }
    const sentences = body.split('. ').filter((sentence) => sentence.length > 90);
    yield { text: sentences[below(random, sentences.length)] ?? body, style: 'sentence', id };
  }
}

function syntheticDocument(number: number, seed: number): SearchDocument {
  const random = seededRandom(mix(seed, number));
  const topic = Math.floor(TOPICS * random() ** 2);
  const subject = drawSubject(random, topic);
  const tags = drawTags(random, topic);
  const language = oneOf(random, LANGUAGES);
  const headings = 2 + below(random, 3);
  return {
    id: `${subject[0]?.toLowerCase()}-${number.toString(36)}`,
    language,
    title: capitalised(subject.slice(0, 3).join(' ')),
    headings: Array.from({ length: headings }, () => capitalised(`${oneOf(random, subject)} ${oneOf(random, subject)}`)),
    tags,
    summary: sentences(random, subject, 1),
    body: sentences(random, subject, 10 + below(random, 9)),
    attributes: {
      type: oneOf(random, CapsuleType.options),
      tags,
      language,
      license: oneOf(random, LICENSES),
      evidence: oneOf(random, EVIDENCE_LEVELS),
      updated: FIRST_DAY + below(random, DAYS),
      status: oneOf(random, STATUSES),
    },
  };
}

/** Words and phrases; those of the title come first. */
function drawSubject(random: Random, topic: number): string[] {
  const subject: string[] = [];
  const phrases = phrasesOf(topic);
  for (let word = 0; word < RARE_WORDS; word++) {
    const scope = word % 3 === 2 ? 1 + (topic % AREAS) : 1 + AREAS + topic;
    subject.push(word === 2 ? skewed(random, phrases) : inventedWord(scope, drawRank(random)));
  }
  for (let phrase = 0; phrase < PHRASES; phrase++) subject.push(skewed(random, phrase % 2 === 0 ? phrases : generalPhrases));
  for (let word = 0; word < GENERAL_WORDS; word++) subject.push(oneOf(random, GENERAL));
  return subject;
}

function drawTags(random: Random, topic: number): string[] {
  const tags = new Set<string>();
  const count = 2 + below(random, 4);
  for (let tag = 0; tag < count; tag++)
    tags.add(inventedWord(TAG_SCOPE, (tag < 2 ? topic + tag : below(random, TAGS)) % TAGS).toLowerCase());
  return [...tags];
}

function sentences(random: Random, subject: readonly string[], count: number): string {
  const words: string[] = [];
  for (let sentence = 0; sentence < count; sentence++) {
    const parts = 6 + below(random, 5);
    words.push(capitalised(oneOf(random, GLUE_WORDS)));
    for (let part = 0; part < parts; part++) {
      words.push(oneOf(random, subject));
      if (part + 1 < parts && random() < 0.7) words.push(oneOf(random, GLUE_WORDS));
    }
    words[words.length - 1] += '.';
  }
  return words.join(' ');
}

function drawRank(random: Random): number {
  return Math.floor(OFFSET * ((1 - random()) ** (-1 / TAIL) - 1));
}

/** One of some values; earlier ones are more likely. */
function skewed<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(values.length * random() ** 2)] as T;
}

function phrasesOf(topic: number): readonly string[] {
  topicPhrases[topic] ??= Array.from({ length: TOPIC_PHRASES }, (_, phrase) => {
    const scope = 1 + AREAS + topic;
    return phraseOf(scope, phrase, (draw) => (draw % 3 === 0 ? general(draw) : inventedWord(scope, draw % (HEAD_RANKS / 2))));
  });
  return topicPhrases[topic];
}

function phraseOf(scope: number, phrase: number, word: (draw: number) => string): string {
  const length = 2 + (mix(scope, phrase) % 3);
  return Array.from({ length }, (_, at) => word(mix(scope + 1, phrase * 4 + at))).join(' ');
}

function general(draw: number): string {
  return GENERAL[draw % GENERAL.length] as string;
}

function frequencyTable(words: number, places: number): string[] {
  const sum = Array.from({ length: words }, (_, rank) => 1 / (rank + ZIPF_OFFSET)).reduce((total, share) => total + share, 0);
  const table: string[] = [];
  for (let rank = 0, share = 0; table.length < places; rank++) {
    share += 1 / (rank + ZIPF_OFFSET) / sum;
    const word = generalWord(rank);
    while (table.length < Math.min(places, Math.round(share * places))) table.push(word);
    if (rank > words * 2) table.push(word);
  }
  return table;
}
