import { analyse } from '../analysis/analyse.ts';
import { UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { inverseDocumentFrequency } from '../bm25.ts';
import { ASKED_DEGREE, type QueryPlan, type QueryTerm } from '../query/plan-query.ts';
import { isRelatable } from './text-occurrences.ts';

export interface PassageQuery {
  readonly question: string;
  /** Its distinct terms in the form of the index, then its words that the index lacks. */
  readonly terms: readonly string[];
  /** How many of the terms the index has. */
  readonly known: number;
  /** The information of each term: its inverse document frequency in the corpus, less for a corrected word. */
  readonly weights: readonly number[];
  readonly answerType?: AnswerType | undefined;
  /** Position in the terms of what the question asks the number of; -1 if no text has it. */
  readonly counted?: number | undefined;
  readonly details?: readonly AnswerDetail[] | undefined;
  /** The name that the question asks the meaning of, in lower case. */
  readonly definedName?: string | undefined;
  /** Whether that name is a word, and all that the question asks for: a sentence that does not define it is no answer. */
  readonly asksForDefinition?: boolean | undefined;
  /** Whether the question is for instructions, so that no sentence is the answer. */
  readonly asksForSteps?: boolean | undefined;
  /** Whether the question is only a name that documents have: texts with it in their title are asked what they are about. */
  readonly isBareName?: boolean | undefined;
}

/** A word that no document has, of which some have a related form. */
const UNKNOWN_WORD_WEIGHT = 0.6;
/** Shorter ones are related to words by chance. In UTF-16 code units. */
const UNKNOWN_WORD_MIN_LENGTH = 4;

/** The commonest particles of Chinese, and hiragana, for particles and endings of Japanese: pairs of characters with one say little. */
const PARTICLE = /[的了\u3040-\u309f]/;
const PARTICLE_WEIGHT = 0.25;

/** A space, or a character of a script without spaces. */
const UNSPACED = /[^!-\u0dff]/;

/** The passage query of a planned query. @param documentCount Documents of the index. */
export function passageQuery(
  question: string,
  { terms, names, unknown, corrections }: Pick<QueryPlan, 'terms' | 'names' | 'unknown' | 'corrections'>,
  documentCount: number,
): PassageQuery {
  const known = terms.map(({ term }) => term);
  const counted = terms.filter((term) => !isDividedName(question, term, terms));
  const words = counted.filter((term) => !isJoined(question, term)).map((term) => wordStart(question, term));
  const weights = terms.map((term) => {
    if (!counted.includes(term)) return 0;
    const start = wordStart(question, term);
    const inWord = Math.max(1, words.filter((word) => word === start).length);
    const weight = Math.min(1, term.weight) * (PARTICLE.test(term.term) ? PARTICLE_WEIGHT : 1);
    return (weight * inverseDocumentFrequency(documentCount, term.indexed.documentFrequency)) / Math.sqrt(inWord);
  });
  const unknownWords = analyse([...unknown, ...corrections.map(({ word }) => word)].join(' '), UNKNOWN_ANALYSER).map(({ term }) => term);
  const others = [...new Set(unknownWords)].filter((word) => isRelatable(word, UNKNOWN_WORD_MIN_LENGTH) && !known.includes(word));
  const name = definedName(question);
  return {
    question,
    terms: [...known, ...others],
    known: known.length,
    weights: [...weights, ...others.map(() => UNKNOWN_WORD_WEIGHT * inverseDocumentFrequency(documentCount, 0))],
    answerType: answerTypeOf(question),
    counted: countedTerm(question, terms),
    details: answerDetailsOf(question),
    definedName: name,
    asksForDefinition:
      name !== undefined && !VALUE_QUESTION.test(question) && new Set(terms.map((term) => wordStart(question, term))).size === 1,
    asksForSteps: asksForSteps(question),
    isBareName: names.some(({ isWhole, places: [{ start, end }] }) => isWhole && question.slice(start, end).trim() === question.trim()),
  };
}

const ASKED_NUMBER = /(?<!\p{L})(?:how many|wie viele?n?|wieviele?n?)\s+/iu;

/** The position of the term that a question asks the number of, -1 if none is; `undefined` of another question. */
export function countedTerm(question: string, terms: readonly Pick<QueryTerm, 'places'>[]): number | undefined {
  const { 0: asked = '', index = -1 } = ASKED_NUMBER.exec(question) ?? {};
  return index < 0 ? undefined : terms.findIndex(({ places }) => places.some(({ start }) => start === index + asked.length));
}

/** Whether a term is two words that are joined: `dryrun` of "dry run" and "dry-run". */
function isJoined(question: string, { places: [{ start, end }] }: QueryTerm): boolean {
  return /[ -]/.test(question.slice(start, end));
}

/** The start of the word that a term is in, with all that no space divides from it: several terms in one say less than as many words. */
function wordStart(question: string, { places: [{ end }] }: QueryTerm): number {
  const word = question.slice(0, end).split(UNSPACED).at(-1) ?? '';
  return end - Math.max(1, word.length);
}

/** Two parts of a name, which have two letters at least. */
const DIVIDED_NAME_MIN_LENGTH = 4;

/** Whether a term is a name, `os.path`, whose parts are terms too. Texts that have the name have these, and it would count more than once. */
function isDividedName(question: string, name: QueryTerm, terms: readonly QueryTerm[]): boolean {
  const [{ start: first, end: last }] = name.places;
  if (last - first < DIVIDED_NAME_MIN_LENGTH || isJoined(question, name)) return false;
  const parts = terms.filter(({ places: [{ start, end }] }) => first <= start && end <= last && end - start < last - first);
  return parts.length > 1;
}

export type AnswerType = 'number' | 'frequency' | 'duration' | 'time' | 'name' | 'place' | 'status' | 'header';

interface AnswerRule {
  readonly type: AnswerType;
  readonly asked: RegExp;
  /** The same in other languages. */
  readonly otherLanguages?: RegExp;
  readonly given: RegExp;
}

/** Without "one", which seldom counts anything. */
const NUMBER_WORDS =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|half|third|quarter|twice|once';

/** A time or a length in words or figures: "24 hours", "a few days", "1 to 255 characters". */
const DURATION = new RegExp(
  String.raw`(?:\d|\b(?:an?|one|few|several|${NUMBER_WORDS})\b)(?:[ -]\w+){0,2}?(?:[ -]|(?<=\d))(?:m?s|min|h|k?m|(?:(?:milli)?second|minute|hour|day|week|month|year|decade|character|byte|word|token|mile|met(?:re|er))s?|centur(?:y|ies)|feet)\b|\b(?:forever|indefinitely|permanently)\b`,
  'i',
);

/** In German, French, Spanish, Italian, Portuguese, Dutch, Russian, Korean, Japanese and Chinese. Arabic has numbers in the forms of nouns. */
const NUMBER_QUESTION =
  /(?<!\p{L})(?:wieviele?n?|prozent(?:satz)?|anteil|anzahl|combien|cuánt[oa]s?|quant(?:[io]s?|[ae]s)|hoeveel|сколько)(?!\p{L})|몇|얼마|いくつ|いくら|何[人個件回枚円]|多少|[几幾][个個次年人天种種名]|(?<![很许許])多[大长長高久远遠](?!学)|百分比|数量|數量/iu;
/** In the same languages, and in Arabic. */
const TIME_QUESTION =
  /(?<!\p{L})(?:wann|welche[mns] (?:jahr\p{L}{0,12}|datum|tag|monat)|quand|quelle année|cuándo|qué año|quando|(?:che|que) ann?o|wanneer|welk jaar|когда|каком году|متى|(?:أي|اي) (?:عام|سنة|قرن|شهر|تاريخ|يوم))(?!\p{L})|언제|몇 ?년|(?<!あ)いつ(?!も)|何[年月日]|何[时時]|什[么麼][时時]候|哪一?[年天]|哪[个個]?(?:世[纪紀]|年代|月)|[几幾][年月]/iu;

const GERMAN_NUMBER_WORDS = 'zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|hundert|tausend|million|milliarde|hälfte|drittel';

/** The first rule that a question matches holds. Questions are recognised in English, and those for a number or a time in other languages. */
const RULES: readonly AnswerRule[] = [
  { type: 'status', asked: /\b(?:status|https?|error|response) codes?\b|\bstatus\b/i, given: /\b[1-5]\d\d\b/ },
  { type: 'header', asked: /\bheaders?\b/i, given: /\b[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+\b/ },
  { type: 'duration', asked: /\bhow long\b/i, given: DURATION },
  {
    type: 'frequency',
    asked: /(?<!\p{L})(?:how often|wie oft)(?!\p{L})/iu,
    given:
      /%|(?<!\p{L})(?:per(?:cent)?|prozent|once|twice|times?|every|each|(?:dai|hour|week|month|year)ly|annually|always|often|usually|rarely|never|pro|mal|jede[nrs]?|täglich|immer|nie)(?!\p{L})/iu,
  },
  {
    type: 'number',
    asked: /\b(?:percent(?:age)?|number of|amount|population|size|maximum|max|minimum|min|limit|default|at most|at least)\b/i,
    otherLanguages: NUMBER_QUESTION,
    given: new RegExp(
      String.raw`(?<![\p{Script=Latin}\d.]|[\p{L}\d]-)\d|[二三四五六七八九十百千万亿两]|\b(?:${NUMBER_WORDS})\b|(?<!\p{L})(?:${GERMAN_NUMBER_WORDS})`,
      'iu',
    ),
  },
  {
    type: 'time',
    asked: /\bwhen\b|\b(?:what|which|whose) (?:\w+ )?(?:year|date|century|decade|day|month)\b/i,
    otherLanguages: TIME_QUESTION,
    given:
      /\b(?:1\d{3}|20\d\d)s?\b|\bcentur(?:y|ies)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|\b\d+ ?(?:AD|BCE?|CE)\b|Jahrhundert|世[纪紀]|年代|\d[年月日년월]|قرن|(?<![ء-ي])(?:ال)?(?:عام|سنة)(?![ء-ي])/,
  },
  { type: 'name', asked: /\bwho(?:m|se)?\b|\b(?:name of|named|called)\b/i, given: /[^.!?\s"“(*_`-]\s+["“(]?\p{Lu}\p{Ll}+/u },
  {
    type: 'place',
    asked: /\bwhere\b|\b(?:what|which) (?:country|countries|city|cities|state|place|location|region|river|continent|area)\b/i,
    given: /\b(?:in|at|from|near|to|of|on)\s+(?:the\s+)?\p{Lu}\p{Ll}+/u,
  },
];

/** What an answer has beside a value of its type: a unit or words for a limit beside its number, or the form of a name in code. */
export interface AnswerDetail {
  readonly type: 'size' | 'limit' | 'path' | 'media type' | 'code' | 'cause';
  /** Of a unit that has it, relative to the weight of the whole query. */
  readonly weight: number;
  /** Whether a sentence without it is no answer. */
  readonly isNeeded?: true;
  /** In English or German. */
  readonly asked: RegExp;
  readonly given: RegExp;
}

/** All that a question matches hold. The weights are by measurement, as those of units. */
const DETAILS: readonly AnswerDetail[] = [
  {
    type: 'size',
    weight: 0.4,
    isNeeded: true,
    asked:
      /(?<!\p{L})(?:(?:how|wie) (?:large|big|small|short|groß|gross|klein|kurz)|size|length|bytes|storage|memory|(?:bigg|larg|long)est|\p{L}*(?:größe|länge|speicher))(?!\p{L})/iu,
    given: /\d[ -]?(?:(?:byte|bit|octet|character|pixel)s?|[kMGT]i?B|(?:kilo|kibi|mega|mebi|giga)(?:byte|bit)s?|Zeichen)(?!\p{L})/iu,
  },
  {
    type: 'limit',
    weight: 0.1,
    asked:
      /(?<!\p{L})(?:max(?:imal\p{L}*|imum)?|min(?:destens|imal\p{L}*|imum)?|limits?|at (?:most|least)|(?:small|bigg|larg|long|short)est|how (?:many|much|long|large|big|often|short)(?: \S+){0,5}? (?:may|can|must|allowed|be)|höchstens|wie \S+ (?:darf|kann|muss)|\p{L}*grenzen?)(?!\p{L})/iu,
    given:
      /(?<!\p{L})(?:at (?:most|least)|up to|max(?:imum|imal)?|min(?:imum|imal|destens)?|limit(?:ed|s)?|(?:more|fewer|less|longer) than|exceeds?|default of|not below|höchstens|bis zu|nicht mehr als)(?!\p{L})/iu,
  },
  {
    type: 'path',
    weight: 0.2,
    asked:
      /\b(?:where|wo)\b|\b(?:which|what|welche\w?)(?: is the)? (?:urls?|path|pfad|address|adresse|endpoint|location)\b|\b(?:urls?|path|address|endpoint|location) (?:of|for)\b/i,
    given: /`\/[^`\s]+`|\bhttps?:\/\//,
  },
  {
    type: 'media type',
    weight: 0.4,
    isNeeded: true,
    asked: /\b(?:media|content|mime)[ -]?types?\b|\bmedientyp/i,
    given: /\b(?:application|text|image|audio|video|multipart|font|model)\/[\w.+-]+/,
  },
  {
    type: 'code',
    weight: 0.1,
    asked:
      /\b(?:which|what|name of|called)\b(?: \S+){0,3}? (?:member|field|parameter|option|flag|command|function|method|property|setting|variable|header|attribute|element|directive|key|value|file|tag|code)s?\b/i,
    given: /`[^`]+`/,
  },
  {
    // A sentence that only repeats what is asked why has the most words of the question.
    type: 'cause',
    weight: 0,
    isNeeded: true,
    asked: /\b(?:why|warum|wieso|weshalb)\b|[为為]什[么麼]|لماذا/i,
    given:
      /\b(?:because|since|as|so|due|thus|therefore|reasons?|caus(?:e[sd]?|ing)|for|to|weil|da|damit|wegen|um)\b|因|所以|由[于於]|[为為]了|导致|導致|لأن|بسبب/i,
  },
];

const STEPS_QUESTION =
  /^\P{L}*how to(?!\p{L})|(?<!\p{L})(?:how (?:do|can|could|should|would|may|must) (?:i|we|you|one|my)(?! (?:know|tell|see)(?!\p{L}))|wie (?:(?!lang|oft|viel|weit|alt|gro|hoch|schnell|nenn|hei(?:ß|ss)|erkenn)\p{L}+ )?(?:ich|man|wir))(?!\p{L})/iu;

/** Whether a question asks for instructions, which one sentence does not give; it does say what something is called or known by. In English or German. */
export function asksForSteps(question: string): boolean {
  return STEPS_QUESTION.test(question);
}

const VALUES = [...RULES, ...DETAILS];

/** Numbers that are no answer: of a list item, a footnote, and a document that is referred to. */
const NUMBERING = /\b(?:sections?|RFC|chapter|version) \d[\d.]*|^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+|\[\^[^[\]\s]+\]/gi;

export function answerTypeOf(question: string): AnswerType | undefined {
  const asksForDegree = question.search(ASKED_DEGREE) >= 0;
  const rule = RULES.find(
    ({ type, asked, otherLanguages }) =>
      asked.test(question) || otherLanguages?.test(question) === true || (type === 'number' && asksForDegree),
  );
  return rule?.type;
}

export function answerDetailsOf(question: string): AnswerDetail[] {
  return DETAILS.filter(({ asked }) => asked.test(question));
}

export function hasAnswerOf(type: AnswerType | AnswerDetail['type'], text: string): boolean {
  return VALUES.some((value) => value.type === type && value.given.test(text.replace(NUMBERING, '')));
}

/** Questions for the meaning of a word or name, which the first group that matched is. */
const MEANING = [
  /^(?:what|who|which)(?:'s| is| are| was| were)(?: (?:an?|the))? (.+?)\??$/i,
  /^what (?:does|do|did) (?:an? |the )?(.+?) (?:stand for|mean|refer to)\b/i,
  /^(?:define|explain) (.+?)\??$/i,
];

/** "What is the licence?" asks for a value, not for what a licence is. */
const VALUE_QUESTION = /^\s*(?:what|who|which)\S* (?:(?:is|are|was|were) )?the /i;

/** Longer names are descriptions. In words. */
const NAME_MAX_WORDS = 4;

/** The name that a question asks the meaning of, in lower case. */
export function definedName(question: string): string | undefined {
  const bounded = question.trim().slice(0, 200);
  const name = MEANING.map((pattern) => pattern.exec(bounded)?.[1]).find((found) => found !== undefined);
  return name === undefined || name.split(/\s+/).length > NAME_MAX_WORDS ? undefined : name.toLowerCase();
}

/** What follows a name that a text defines, as the subject of a clause: "X is a", "X (a kind of thing), as said, means". Not "X is used". */
const DEFINING =
  /^[*_`"“”]{0,3}(?: \([^()]{1,40}\))?(?:,[^,]{1,80},)? (?:means|refers|stands|denotes|represents|(?:is|are|was|were) (?!\p{L}+ed\b|(?:born|built|found|given|kept|known|made|read|sent|set|shown|used|written)\b))/u;
/** What follows a name in code: "`interval` sets how often". */
const SETTING = /^`[*_]{0,2} (?:is|are|means|defines|describes|sets|specifies|controls|determines)\b/;
/** "X, a kind of thing". */
const APPOSITION = /^[*_`"“”]{0,3}(?: \([^()]{1,40}\))?, (?:an?|the) /;
/** A name in parentheses after its long form: "(X)", "(X, RFC 8785)", "(X, in XML)". */
const IN_PARENTHESES = /^(?:\)|[,;] (?:rfc|iso|an?|the|in|see|also|short)\b)/;

/** What stands between the beginning of a clause and its subject, which may be the last word of a proper name, and what ends the clause before. */
const BEFORE_SUBJECT = /(?:(?:[Aa]n?|[Tt]he|[Ee]ach|[Ee]very|[Tt]his|[Tt]erm) ){0,2}(?:\p{Lu}[\p{L}\p{N}.'’-]{0,40} ){0,3}[*_`"“[]{0,4}$/u;
const CLAUSE_END = /[.,;:!?()—–>*+#-]["”]?$/;
/** An item of a series: "a database, a cache, a queue". */
const IN_SERIES = /(?:,|\b(?:an?|the|and|or)) [*_`"“]{0,3}$/i;

const NAME_PLACES_MAX = 4;

/** Whether a text defines a name: "X is …", "Long Name (X)", `**X**: …`. @param name In lower case. */
export function defines(name: string, text: string): boolean {
  const lower = text.toLowerCase();
  // Few letters have another length in lower case, which would shift all places.
  const source = lower.length === text.length ? text : lower;
  for (let at = lower.indexOf(name), places = 0; at >= 0 && places < NAME_PLACES_MAX; at = lower.indexOf(name, at + 1), places++) {
    const [before, after] = [source.slice(0, at), lower.slice(at + name.length, at + name.length + 140)];
    const sign = before.at(-1) ?? '';
    if (sign === '(' && IN_PARENTHESES.test(after)) return true;
    if (/[*_`]/.test(sign) && /^[*_`]{1,3}:/.test(after)) return true;
    if (/[\p{L}\p{N}]/u.test(sign)) continue;
    if (APPOSITION.test(after) && !IN_SERIES.test(before)) return true;
    if ((DEFINING.test(after) || (sign === '`' && SETTING.test(after))) && beginsClause(before)) return true;
  }
  return false;
}

function beginsClause(before: string): boolean {
  const rest = before.replace(BEFORE_SUBJECT, '');
  const clause = rest.trimEnd();
  return clause === '' || CLAUSE_END.test(clause) || rest.slice(clause.length).includes('\n\n');
}

/** Whether a title is about a name, as its first words. @param name In lower case. */
export function isSubject(name: string, title: string): boolean {
  const rest = title.toLowerCase().replace(/^(?:an?|the) /, '');
  return rest.startsWith(name) && /^s?(?![\p{L}\p{N}])/u.test(rest.slice(name.length));
}
