const TO_REGION = /^.*?[aeiouyäöü][^aeiouyäöü]/;

/** Letters that every first region begins after. */
const REGION_MIN_START = 3;

/**
 * The stem of a lower-case German word by Snowball's rules (3.1): `ae`, `oe`, `ue` are umlauts, and `Systeme`, `Systems` are forms of `System`.
 * It has no umlauts and no `ß`.
 *
 * @see {@link https://snowballstem.org/algorithms/german/stemmer.html German stemming algorithm}
 */
export function stemGerman(word: string): string {
  let stem = word
    // `u` and `y` between vowels are consonants.
    .replace(/(?<=[aeiouyäöü])[uy](?=[aeiouyäöü])/g, (letter) => letter.toUpperCase())
    .replace(/ß|ae|oe|ue|qu/g, (letters) => UMLAUTS[letters] ?? letters);
  const toFirst = TO_REGION.exec(stem)?.[0].length ?? stem.length;
  const first = Math.max(toFirst, Math.min(REGION_MIN_START, stem.length));
  const second = toFirst + (TO_REGION.exec(stem.slice(toFirst))?.[0].length ?? stem.length);
  stem = withoutInflection(stem, first);
  stem = withoutComparison(stem, first);
  stem = withoutDerivation(stem, first, second);
  return stem.toLowerCase().replace(/[äöü]/g, (letter) => PLAIN[letter] ?? letter);
}

const UMLAUTS: Readonly<Record<string, string>> = { ß: 'ss', ae: 'ä', oe: 'ö', ue: 'ü' };
const PLAIN: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u' };

function withoutInflection(word: string, first: number): string {
  const suffix = /(?:erinnen|erin|ern|em|er|en|es|e|lns|ln|s)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < first) return word;
  const bare = word.slice(0, -suffix.length);
  if (suffix === 'em') return bare.endsWith('syst') ? word : bare;
  if (suffix === 's') return /[bdfghklmnrt]$/.test(bare) ? bare : word;
  if (suffix.startsWith('ln')) return `${bare}l`;
  return /^(?:e|en|es)$/.test(suffix) && bare.endsWith('niss') ? bare.slice(0, -1) : bare;
}

function withoutComparison(word: string, first: number): string {
  const suffix = /(?:est|en|er|st|et)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < first) return word;
  const bare = word.slice(0, -suffix.length);
  if (suffix === 'st') return /...[bdfghklmnt]$/.test(bare) ? bare : word;
  if (suffix === 'et') return /[dfgklmnrstUzä]$/.test(bare) && !/(?:geordn|intern|plan|tick|tr)$/.test(bare) ? bare : word;
  return bare;
}

function withoutDerivation(word: string, first: number, second: number): string {
  const suffix = /(?:end|ung|isch|ig|ik|lich|heit|keit)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < second) return word;
  const bare = word.slice(0, -suffix.length);
  switch (suffix) {
    case 'end':
    case 'ung':
      return /(?<!e)ig$/.test(bare) ? cutFrom(bare, 2, second) : bare;
    case 'lich':
    case 'heit':
      return /e[rn]$/.test(bare) ? cutFrom(bare, 2, first) : bare;
    case 'keit':
      return cutFrom(bare, /(?:lich|ig)$/.exec(bare)?.[0].length ?? 0, second);
    default:
      return bare.endsWith('e') ? word : bare;
  }
}

/** A word without its last letters, if all of them are in a region. */
function cutFrom(word: string, letters: number, region: number): string {
  return word.length - letters >= region ? word.slice(0, word.length - letters) : word;
}
