/** English function words, frequent ones repeated. */
export const GLUE_WORDS: readonly string[] =
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
export const HEAD_RANKS = 64;

/** Word `rank` of the infinite invented vocabulary `scope`; the same on every machine. */
export function inventedWord(scope: number, rank: number): string {
  const hash = mix(scope, rank);
  const short = syllable(hash) + syllable(hash >>> 7) + syllable(hash >>> 14);
  if (rank < HEAD_RANKS) return short;
  // Names as in code, whose whole and parts are terms.
  if (hash % 23 === 0) return inventedWord(scope, (hash >>> 8) % HEAD_RANKS) + capitalised(syllable(hash >>> 21) + syllable(hash >>> 9));
  if (hash % 97 === 0) return `${short}${hash >>> 25}`;
  return short + syllable(hash >>> 21);
}

/** Word `rank` of the common vocabulary: English words first. */
export function generalWord(rank: number): string {
  return COMMON_WORDS[rank] ?? inventedWord(0, rank);
}

/** A text with its first letter as a capital. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A 32-bit hash of two numbers (the finaliser of MurmurHash3). */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a >>> 0, 0x9e3779b1) ^ Math.imul(b >>> 0, 0x85ebca6b) ^ 0x27d4eb2f;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function syllable(bits: number): string {
  return SYLLABLES[bits & 127] as string;
}
