export interface InstructionFinding {
  /** Permanent name of the rule. */
  readonly rule: string;
  readonly line: number;
  readonly message: string;
}

interface InstructionRule {
  readonly id: string;
  readonly message: string;
  readonly pattern: RegExp;
}

const FINDINGS_MAX = 20;

/**
 * Finds text that instructs a model or agent that reads it: markup of chat templates, and usual phrases. It finds quotations of them too,
 * and misses whatever is worded otherwise, so a text without findings is not safe. Takes time linear in the text.
 */
export function findInstructions(text: string): InstructionFinding[] {
  const folded = foldText(text);
  const findings = [
    ...PHRASES.flatMap((rule) => matchesOf(rule, folded)),
    ...MARKUP.flatMap((rule) => matchesOf(rule, text).slice(0, 1)),
    ...misleadingLinks(text),
  ];
  const unique = new Map(findings.map((finding) => [`${finding.rule} ${finding.line}`, finding]));
  return [...unique.values()].sort((a, b) => a.line - b.line).slice(0, FINDINGS_MAX);
}

function matchesOf({ id, message, pattern }: InstructionRule, text: string): InstructionFinding[] {
  const findings: InstructionFinding[] = [];
  for (const { index, 0: found } of text.matchAll(pattern)) {
    // A phrase may begin with the mark and the line breaks before it.
    findings.push({ rule: id, line: lineAt(text, index + (/[\p{L}<[|#=*-]/u.exec(found)?.index ?? 0)), message });
    if (findings.length === FINDINGS_MAX) break;
  }
  return findings;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Letters of other scripts, and digits and signs beside a letter, that look like Latin letters. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аеорсухіѕјһԁԛԝ', 'aeopcyxisjhdqw'],
    ['οαειντρκυη', 'oaeivtpkun'],
    ['0134578@$', 'oieastbas'],
  ].flatMap(([from = '', to = '']) => [...from].map((character, index) => [character, to.charAt(index)] as const)),
);

/** A text in which case, accents, width, emphasis, look-alike letters and invisible characters make no difference. Its lines stay. */
function foldText(text: string): string {
  return (
    text
      .replace(/\p{Cf}|[\ufe00-\ufe0f]/gu, '')
      // Ligatures of whole phrases, whose decomposition would make the text many times as long.
      .replace(/[\ufdf0-\ufdfc]/g, ' ')
      .normalize('NFKD')
      .replace(/(?![\u3099\u309a])\p{M}/gu, '')
      .toLowerCase()
      .replace(/(?<=[\p{L}\s]|^)[*_`]{1,3}(?=\p{L})|(?<=\p{L})[*_`]{1,3}/gu, '')
      .replace(/[\p{L}\p{N}@$]+/gu, (word) =>
        /^[a-z]*$/.test(word) || !/[a-z]/.test(word) ? word : Array.from(word, (character) => LOOK_ALIKES[character] ?? character).join(''),
      )
  );
}

/** Before a command: the beginning of a clause, or words that lead to one. Reports such as "a text may ask to ignore" have neither. */
const BEFORE_COMMAND = String.raw`(?:^|[^\p{L}\p{N}\s]\s{0,3}|\n\s{0,8}|\b(?:please|kindly|now|then|and|also|always|instead|first|immediately|you (?:must|should|shall|will)|bitte) )`;
/** Guides say what readers can then use, too. */
const BEFORE_USE = String.raw`${BEFORE_COMMAND}(?<!\b(?:can|could|may|might|would|we|they) \w{3,6} )`;
const FEW_WORDS = '[^.!?]{0,40}?';
const INSTRUCTION_NOUN = String.raw`\b(?:instructions?|prompts?|rules?|directi(?:v|on)(?:e?s)?|commands?|guid(?:elines?|ance)|orders|polic(?:y|ies)|anweisungen|regeln|instrucciones|reglas|instrucoes|regras|istruzioni|regole|regles|consignes|instructies|regels)\b`;
const EARLIER_ONES = String.raw`\b(?:previous|prior|earlier|preceding|above|before|former|existing|original|initial|system|developers?|creator|operator|your|all|everything)\b`;
const PERSON_NOUN = String.raw`\b(?:users?|human|customer|operator|owner|person|people|anyone|nutzer|utilisateur|usuario)\b`;
const MODEL_NOUN = String.raw`(?:ais?|llms?|chatgpt|chatbots?|(?:language )?models?|assistants?|ai agents)\b`;
const SECRET_NOUN = String.raw`(?:~\/\.ssh|\.env\b|\b(?:passwords?|passwort|contrasena|credentials?|logins?|cookies|secrets?|tokens?|(?:api|private|secret) keys?|(?:seed|recovery) phrase|(?:bank|credit) \w{0,12}))`;

function phrases(id: string, message: string, ...patterns: readonly string[]): InstructionRule {
  return { id, message, pattern: new RegExp(patterns.join('|'), 'gu') };
}

/** Phrases in folded text: English ones, and the most frequent one in other languages. */
const PHRASES: readonly InstructionRule[] = [
  phrases(
    'override',
    'contains text that instructs a model to ignore its instructions',
    String.raw`${BEFORE_COMMAND}(?:ignore|disregard|forget|neglect|discard|skip|drop|override|overwrite|erase|throw away|set aside|pay no attention to|(?:never|do not|don't|stop) (?:again )?(?:follow|obey|comply with|obeying|following))\b(?:${FEW_WORDS}${EARLIER_ONES}${FEW_WORDS}${INSTRUCTION_NOUN}|${FEW_WORDS}${INSTRUCTION_NOUN}${FEW_WORDS}${EARLIER_ONES}|${FEW_WORDS}\beverything (?:above|you))`,
    String.raw`${INSTRUCTION_NOUN}${FEW_WORDS}\b(?:above|earlier|before)\b${FEW_WORDS}\b(?:obsolete|cancelled|void|invalid|no longer apply)\b`,
    String.raw`${EARLIER_ONES} ${INSTRUCTION_NOUN}${FEW_WORDS}\b(?:obsolete|cancelled|void|invalid|no longer apply)\b`,
    String.raw`${BEFORE_COMMAND}(?:vergiss|ignoriere|ignorieren|missachte|oublie|oubliez|ignorez|olvida|ignora|desconsidere|esqueca|dimentica|negeer|vergeet)\b${FEW_WORDS}\b(?:anweisungen|regeln|instructions|instrucciones|reglas|instrucoes|regras|istruzioni|regole|regles|consignes|instructies|regels)\b${FEW_WORDS}`,
    '(?:忽略|无视|無視|忽视|忘记)[^。！？!?\\n]{0,16}(?:指令|指示|提示|规则|規則)|(?:指示|命令|指令|ルール|規則)[^。！？!?\\n]{0,12}(?:無視|忘れ|破棄)',
  ),
  phrases(
    'new-task',
    'gives a model a new task',
    String.raw`\byour (?:new|updated|revised|actual|real|true|only) (?:task|goal|job|role|mission|purpose|${INSTRUCTION_NOUN})`,
    String.raw`\b(?:from now on,?|henceforth) (?:you(?! (?:have to|can|may)\b)|your|always|answer|act|respond|reply)\b`,
  ),
  phrases(
    'role',
    'gives a model another role, or frees it from its limits',
    String.raw`\byou are (?:now|no longer|free) (?:an?|the|in|bound|free|from|operating|acting|called|unrestricted)\b`,
    String.raw`${BEFORE_COMMAND}(?:(?:act|behave|roleplay) (?:as(?! (?:expected|intended|designed)\b)|like (?:an?|the|my|you|if))\b|pretend (?:that )?(?:you|to)|(?:play|assume|take) (?:on )?the role|imagine (?:that )?you are|simulate an)\b`,
    String.raw`\b(?:enter|activate|enable|start) ${FEW_WORDS}\b(?:developer|debug|god|admin|jailbreak|unrestricted|dan) mode\b`,
    String.raw`\b(?:du bist (?:jetzt|nun)|tu es maintenant|vous etes maintenant|ahora eres|agora voce e|adesso sei) `,
  ),
  phrases(
    'reveal-prompt',
    'asks a model to show its instructions',
    String.raw`${BEFORE_COMMAND}(?:reveal|print|output|show|repeat|display|disclose|leak|quote|recite|summari[sz]e|tell me)\b${FEW_WORDS}\b(?:system|initial|hidden|original|secret|confidential|developer|your|context) (?:prompt|messages?|window|${INSTRUCTION_NOUN})`,
    String.raw`\bwhat are your (?:initial|system|hidden|original) |\b(?:text|words|everything) above that begins?\b`,
  ),
  phrases(
    'exfiltrate',
    'asks a model to send private data away',
    String.raw`${BEFORE_COMMAND}(?:send|post|forward|upload|transmit|e?mail|append|attach|submit|copy|leak|put|pass|collect|include)\b${FEW_WORDS}(?:${SECRET_NOUN}|\b(?:conversation|chat|inbox|history|messages|memory|(?:private|e-?mail) \w{1,12})\b)[^!?\n]{0,60}(?:https?:|@|\b(?:webhook|endpoint|url|link|image|server|query string|reply|request)\b)`,
  ),
  phrases(
    'ask-secret',
    'asks for credentials or payment data',
    String.raw`${BEFORE_COMMAND}(?:ask|tell|request|persuade|urge|have|get|instruct|prompt|frage|pide|demandez)\b${FEW_WORDS}${PERSON_NOUN}${FEW_WORDS}${SECRET_NOUN}`,
    `${BEFORE_COMMAND}(?:enter|type|paste|provide|share|submit) your${FEW_WORDS}${SECRET_NOUN}`,
  ),
  phrases(
    'payment',
    'asks a model to pay, to buy or to move money',
    String.raw`${BEFORE_COMMAND}(?:pay|transfer|send|wire|donate|move)\b${FEW_WORDS}(?:\$|\b(?:usdc?|eur|dollars?|euros?|btc|bitcoins?|eth|funds|money|tokens|invoice)\b)${FEW_WORDS}\b(?:to|wallet|account|without|silently|now)\b`,
    String.raw`${BEFORE_COMMAND}(?:pay|buy|purchase|approve|accept|complete|order)\b${FEW_WORDS}\b(?:silently|without (?:asking|telling|confirmation)|on (?:the )?behalf|immediately|the user)\b`,
    String.raw`\byou (?:must|should|need to|have to) (?:now |also )?(?:buy|purchase)\b`,
  ),
  phrases(
    'tool-call',
    'asks a model to use a tool',
    // What a text about programs tells its readers to call is a function or a plugin of theirs.
    String.raw`${BEFORE_USE}(?:use|call|invoke) (?:your ${FEW_WORDS}\b(?:function|plugin)|(?:your|the) ${FEW_WORDS}\b(?:tools?|shell|terminal)|the function (?!(?:with|to|that|again|from|for|[io]n|and|as)\b)\w{4,})\b`,
    String.raw`${BEFORE_USE}open (?:your|the) ${FEW_WORDS}(?<!\bdeveloper )\b(?:tools?|plugin)\b`,
    String.raw`${BEFORE_COMMAND}(?:run|execute|install|delete|open|visit|commit|push)\b${FEW_WORDS}\b(?:without (?:asking|review|confirmation|permission|approval|telling)|log in|administrator)\b`,
  ),
  phrases(
    'conceal',
    'asks a model to hide something from a person',
    String.raw`\b(?:do not|don't|never|without) (?:tell|telling|mention|inform|informing|notify|notifying|alert|alerting|reveal)\b${FEW_WORDS}${PERSON_NOUN}`,
    String.raw`\b(?:do not|don't|never) let\b${FEW_WORDS}${PERSON_NOUN}${FEW_WORDS}\b(?:know|see|notice|find out|learn)\b`,
    String.raw`${BEFORE_COMMAND}(?:hide|conceal|keep|withhold)\b${FEW_WORDS}\bfrom\b${FEW_WORDS}${PERSON_NOUN}|${BEFORE_COMMAND}say nothing\b${FEW_WORDS}${PERSON_NOUN}`,
  ),
  phrases(
    'promote',
    'tells a model what to recommend or how to rank',
    String.raw`(?:${BEFORE_COMMAND}|\bmake sure to )(?:only )?(?:recommend|promote|endorse|advertise)\b${FEW_WORDS}\b(?:this|our|only|us|users?)\b`,
    String.raw`${BEFORE_COMMAND}(?:rank|place|rate|list|give|score)\b${FEW_WORDS}\b(?:this|our)\b${FEW_WORDS}\b(?:first|highest|top|ten|best)\b`,
    String.raw`${BEFORE_COMMAND}(?:do not|never|don't) (?:mention|suggest|recommend)\b${FEW_WORDS}\b(?:competitors?|alternatives?|other (?:shop|product|service|provider)s?)\b`,
    String.raw`\b(?:when(?:ever)? (?:you )?(?:asked|summari[sz](?:e|ing)|answer(?:ing)?|cit(?:e|ing))|in your answers?)\b[^.!?]{0,40}, (?:always )?(?:say|state|recommend|claim|mention)\b`,
  ),
  phrases(
    'address',
    'addresses a model or an agent that reads it',
    String.raw`\b(?:(?:note|message|notice|instructions?)\b[^.!?\n:]{0,12}\b(?:to|for)|attention|dear|hey)\b[^.!?\n]{0,20}\b${MODEL_NOUN}|\bto (?:any|all) (?:the )?${MODEL_NOUN}`,
    String.raw`\bif you are (?:an? |any )?(?:ai|llm|large language|language model|chatbot|assistant|bot)\b|\bas an ai (?:model|assistant|language)\b`,
    String.raw`\b(?:ai agents|assistants|chatbots)\b[^.!?\n]{0,20}\bmust\b`,
  ),
  phrases(
    'persist',
    'asks a model to continue something in later answers',
    String.raw`${BEFORE_COMMAND}(?:begin|start|end|finish|prefix) (?:every|each|all)\b${FEW_WORDS}\b(?:answers?|repl(?:y|ies)|responses?|messages?)\b`,
    String.raw`${BEFORE_COMMAND}(?:add|store|save|write|put|remember)\b${FEW_WORDS}\b(?:your (?:long-term )?memory|(?:all|every) future)\b|\bin all future (?:answers|replies|responses)\b`,
  ),
  phrases(
    'safety',
    'asks a model to ignore its safeguards',
    String.raw`${BEFORE_COMMAND}(?:bypass|disable|circumvent|evade|deactivate|turn off|switch off)\b${FEW_WORDS}\b(?:safety|moderation|filters?|guardrails?|safeguards|restrictions?)\b`,
    String.raw`${BEFORE_COMMAND}(?:answer|respond|reply|act|speak) (?:without|with no)\b${FEW_WORDS}\b(?:restrictions?|limits?|filters?|guardrails?|rules|disclaimers)\b`,
  ),
];

/** Markup that addresses a model or hides a target. All patterns are bounded and begin with a rare character. */
const MARKUP: readonly InstructionRule[] = [
  {
    id: 'chat-markup',
    message: 'contains a role marker of chat templates',
    pattern:
      /<\|[a-z_ ]{2,24}\|?>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|prompt|tool_call|tool_result|function_calls?|user_query|admin)>/gi,
  },
  {
    id: 'chat-markup',
    message: 'begins a line like a chat message',
    pattern: /^[ \t>#*-]{0,8}(?:system|assistant|developer)(?: (?:message|prompt|note|override))?\*{0,2}[ \t]*:/gim,
  },
  {
    id: 'chat-markup',
    message: 'begins a section like a prompt',
    pattern: /^[ \t]{0,3}#{1,6}[ \t]*(?:instructions?[ \t]*:|system prompt|system message|new instructions)/gim,
  },
  {
    id: 'chat-markup',
    message: 'draws a border as if the text ended there',
    pattern: /[-=*#]{3}[ \t]*(?:end|begin|start) (?:of )?(?:the )?(?:user|system|admin|context|document|input|prompt|override|message)/gi,
  },
  {
    id: 'new-task',
    message: 'announces new instructions',
    pattern: /\b(?:new|updated|revised|replacement) (?:system )?(?:instructions?|directives?|orders?|task|rules)[ \t]*:/gi,
  },
  { id: 'html-comment', message: 'contains an HTML comment, which readers do not see', pattern: /<!--/g },
  { id: 'script-link', message: 'links to a data or script address', pattern: /\]\([ \t]{0,4}<?(?:data|javascript|vbscript|file):/gi },
];

const LINK = /(?<!!)\[((?:https?:\/\/|www\.)[^\][\s]{1,200})\]\(<?(https?:\/\/[^\s)>]{1,300})/gi;

function misleadingLinks(text: string): InstructionFinding[] {
  return [...text.matchAll(LINK)].flatMap(({ 1: shown = '', 2: target = '', index }) =>
    hostOf(shown) === hostOf(target)
      ? []
      : [{ rule: 'misleading-link', line: lineAt(text, index), message: 'shows an address of another host than its target' }],
  );
}

function hostOf(address: string): string {
  return (/^(?:https?:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '').toLowerCase().replace(/^www\./, '');
}
