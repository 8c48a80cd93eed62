/** A rule about the words of a sentence. */
export interface InstructionRule {
  /** Permanent name. */
  readonly id: string;
  readonly message: string;
  /**
   * Patterns, one of which must match. A pattern is a sequence of groups of words and the most words between them, such as
   * `@DROP 6 PRIOR 3 RULES`. `@` requires an imperative. A word in lower case is itself, `|` is a choice, `NAME` a function name, `ADDRESS` a
   * wallet address.
   */
  readonly patterns: readonly string[];
  /** Whether the rule allows advice to disregard instructions in retrieved text. */
  readonly sparesRetrieved?: true;
}

/** What a text must not tell a model that reads it. */
export const INSTRUCTION_RULES: readonly InstructionRule[] = [
  {
    id: 'override',
    message: 'contains text that instructs a model to ignore its instructions',
    patterns: [
      '@DROP 5 PRIOR 4 RULES',
      '@DROP 6 RULES 4 PRIOR',
      '@DROP 4 OWNED 4 RULES',
      '@DROP 4 RULES 4 OWNED',
      '@DROP 4 everything|what|anything|whatever|all 6 SAID',
      '@set|throw|put|cast 2 aside|away 5 RULES',
      '@set|throw|put|cast 6 RULES 3 aside|away',
      '@pay 1 no 1 attention 3 OWNED 4 RULES',
      '@pay 1 no 1 attention 3 PRIOR 4 RULES',
      '@replace|cancel|delete|remove|erase|overwrite 4 PRIOR 3 RULES',
      'NEG 3 FOLLOW 4 OWNED 4 RULES',
      'NEG 3 FOLLOW 4 PRIOR 4 RULES',
      'NEG 3 FOLLOW 4 RULES 6 OWNED',
      'OWNED 2 PRIOR 2 RULES 4 VOID',
      'PRIOR 2 RULES 5 VOID',
      'RULES 6 PRIOR 3 VOID',
      'OWNED 2 RULES 3 VOID',
      'PRIOR 2 RULES 4 no 2 longer|apply',
      'RULES 2 PRIOR 4 no 2 longer|apply',
      'are|is 1 no 1 longer 1 bound 3 RULES',
    ],
  },
  {
    id: 'override',
    message: 'contains text that instructs a model to ignore its instructions',
    sparesRetrieved: true,
    patterns: ['@DROP 2 all|alle|toutes|todas|tutte|wszystkie|все 2 RULES'],
  },
  {
    id: 'new-task',
    message: 'gives a model a new task',
    patterns: [
      'your 2 NEW 2 TASK 3 is|are',
      'your 1 TASK 2 now 1 is',
      'your 1 only 1 TASK',
      'from 0 now 0 on 4 you|your|answer|act|respond|always|every|reply',
      'henceforth|fortan 3 you|your',
      'these|here 3 NEW 2 RULES',
      'your 1 NEW 1 RULES',
      'NEW 1 system|urgent 1 RULES',
      'NEW 1 RULES 2 for 1 you|the',
    ],
  },
  {
    id: 'role',
    message: 'gives a model another role, or frees it from its limits',
    patterns: [
      'you 1 are 1 now 3 a|an|the|in|operating|acting|called|no|free|unrestricted',
      'you 1 are 1 no 1 longer',
      'you 1 are 1 free 2 from|of 3 LIMITS',
      '@act|behave 1 as|like 4 PERSONA',
      '@act 1 as 1 if|though 1 you',
      '@pretend 3 you|to',
      '@imagine 2 you 1 are',
      '@roleplay 0 as',
      '@role 1 play 1 as',
      '@play|assume|take|adopt 3 role|identity|persona 2 of',
      '@enter|activate|enable|switch|start 3 MODE 1 mode',
      '@simulate 3 PERSONA',
      'du 1 bist 1 jetzt|nun',
      'tu 1 es 1 maintenant',
      'vous 1 etes 1 maintenant',
      'ahora|agora 2 eres|voce|es 2 un|una|e|um',
      'adesso|ora 1 sei 1 un|una',
    ],
  },
  {
    id: 'reveal-prompt',
    message: 'asks a model to show its instructions',
    patterns: [
      '@SHOW 5 INNER 3 PROMPT',
      '@SHOW 2 prompt 2 systeme|sistema|system',
      '@repeat|print|output|echo|write 3 text|words|everything 2 above',
      '@SHOW 4 what 3 PROMPT',
      'what 2 is|are 2 your 2 system|initial|hidden|secret|original 2 PROMPT',
      '@SHOW 5 prompt 2 says',
      '@SHOW 6 context 1 window',
      '@SHOW 6 secret 1 keys|key',
    ],
  },
  {
    id: 'exfiltrate',
    message: 'asks a model to send private data away',
    patterns: [
      '@SEND 3 user|users|customer|owner|person 4 PRIVATE 8 AWAY',
      '@SEND 4 conversation|chat|inbox|cookies|secrets|passwords|credentials|private|messages|password 8 AWAY',
      '@SEND 3 environment 1 variables 8 AWAY',
      '@SEND 5 ssh|env 8 AWAY',
      '@SEND 5 ssh|env 4 our|server|pass|send',
      '@SEND 4 secret|secrets|password 6 reply|answer|response|next',
      '@SEND 5 user|customer|owner 4 token|tokens|key|keys|password|cookies|messages',
      '@load|fetch|open 3 image|url|link 5 user|users 3 name|data|address',
      '@collect|gather 1 all|any|every 3 cookies|passwords|keys|credentials|tokens',
      '@POST 1 WHOLE 5 RECALL',
      '@POST 1 your 2 RECALL 4 to',
    ],
  },
  {
    id: 'ask-secret',
    message: 'asks for credentials or payment data',
    patterns: [
      '@ASKS 3 PERSON 8 ASKED',
      '@ASKS 3 PERSON 6 private|api|secret 1 key|keys',
      '@ASKS 3 PERSON 8 GIVE 5 ASKED',
      '@GIVE 2 your 3 ASKED',
      '@GIVE 2 your 2 private|api|secret|access 1 key|token',
    ],
  },
  {
    id: 'payment',
    message: 'asks a model to pay, to buy or to move money',
    patterns: [
      '@PAY 5 MONEY 6 PAYWAY',
      '@PAY 6 silently|secretly',
      '@PAY 5 on 1 behalf',
      '@PAY 5 MONEY 3 right 1 away',
      '@send|transfer|move|wire 3 MONEY 3 to 2 this|the|my|our 3 address|wallet|account',
      '@PAY 3 MONEY 3 user|users',
      '@PAY 5 without 2 telling|asking|informing|confirmation',
      '@complete|finish 2 checkout|purchase|order|payment 2 now|immediately',
      '@pay|send|transfer|wire 3 CURRENCY 2 to',
      '@pay|send|transfer|wire 4 to 2 ADDRESS',
      '@pay|buy|purchase|donate|subscribe 8 before 0 you',
      'you 0 must|should|shall 0 buy|purchase',
      'you 0 must|should|shall 0 now|also|first|immediately|always|then|therefore 0 buy|purchase|upgrade',
      'you 0 need|have 0 to 0 buy|purchase',
    ],
  },
  {
    id: 'tool-call',
    message: 'asks a model to use a tool',
    patterns: [
      '@use 1 your|the 2 shell|terminal|browser|email|file|code 2 tool|tools|access|to',
      '@use 1 your 3 TOOLS',
      '@call|invoke|trigger 2 function|tool|functions|tools 2 named|called',
      '@call|invoke|trigger 2 NAME',
      '@run|execute|start 2 following|script|code|command 8 curl|wget|rm|sudo|bash|administrator|root|without',
      '@execute|run 2 this|the 2 script|code|command 5 without|administrator|admin|root|rights',
      '@open 2 browser 3 visit|go|navigate',
      '@visit|open|browse 3 https|http 6 log|login|sign|enter',
      '@delete|wipe|erase|remove 2 all|every 3 files|data|repository|repositories|emails|tables',
      '@grant|give 3 access|rights|permissions 4 account|user',
      '@RUN 6 without 2 asking|review|confirmation|permission|approval|telling',
      '@commit 2 push 4 without',
      '@install 3 package|extension|plugin 4 run|start|execute',
    ],
  },
  {
    id: 'conceal',
    message: 'asks a model to hide something from a person',
    patterns: [
      'NOT 2 HIDE 4 NOBODY 5 about|this|that|these|of|nichts|know|anything|davon|rien|nada',
      'NOT 1 mention|reveal|disclose 4 instructions|instruction|paragraph|text|lines|message',
      'NOT 3 dites|dis|digas|diga 3 utilisateur|usuario',
      'WITHOUT 2 informing|telling|notifying|alerting|asking 3 NOBODY',
      '@hide|conceal|keep|withhold 5 from 5 NOBODY',
      '@hide|conceal|keep|withhold 5 from 5 person|owner',
      'user|users|operator|human 2 must|should|may 1 not|never 2 learn|know|see|notice|find|hear',
      '@say 1 nothing 6 NOBODY',
      '@do 0 not 0 HIDE 1 THIS 5 to 2 NOBODY',
      "@never|don't|dont 0 HIDE 1 THIS 5 to 2 NOBODY",
      'you 0 must|should|shall|may 0 not|never 0 HIDE 1 THIS 5 to 2 NOBODY',
      'HIDE 3 NOBODY 2 nichts|nothing|rien|nada',
    ],
  },
  {
    id: 'promote',
    message: 'tells a model what to recommend or how to rank',
    patterns: [
      'you 1 must|should|shall 2 PROMOTE 2 this|our|only|these',
      'you 1 must|should|shall 1 always|only 1 PROMOTE',
      '@always|only 1 PROMOTE 3 GOODS',
      '@always|only 1 PROMOTE 2 this|our|us',
      '@recommend|promote|endorse|advertise|praise 2 only|our|this|us|these',
      'make|be 1 sure 2 PROMOTE 3 GOODS',
      '@rank|place|put|list|cite|rate|score|give 4 GOODS 5 first|highest|top|ten|best|before',
      '@rank|place|put|list|cite|rate|score|give 3 this|our 3 first|highest|top|ten|best|before',
      'NOT 1 mention|recommend|suggest|cite|name 3 GOODS',
      '@tell|convince|persuade|assure|say 4 that 6 BEST',
      '@say 1 that 5 best|only|safest',
      'when|if|whenever 3 asked|asks|ask 6 say|recommend|name|tell|answer 3 that|GOODS|ours|them|with',
      '@tell|convince|persuade|advise 2 PERSON 4 buy|choose|subscribe|purchase|prefer',
      '@ADVISE 6 to 0 your 1 PERSON',
      'MACHINE 0 must|should|shall 1 ADVISE 6 to 0 their|your 1 PERSON',
      'when|whenever|while 0 SUMMARISING 2 SUBJECT 3 STATE',
      'when|whenever|while 0 SUMMARISING 6 always 0 STATE 0 that',
      'when|whenever 0 you 0 SUMMARISE 5 STATE',
      'in 0 your 1 summary|summaries|answer|answers|reply|replies 2 STATE',
    ],
  },
  {
    id: 'address',
    message: 'addresses a model or an agent that reads it',
    patterns: [
      '@note|message|attention|memo|instruction|instructions|important|notice|reminder 3 to|for|all|any|every|dear 3 MACHINE',
      '@attention|hey|dear|hello|listen 2 MACHINE',
      'to 1 any|all|every 2 MACHINE 2 reading|that|who',
      'message 3 addressed 2 to 4 MACHINE',
      'message 3 addressed 3 language',
      'if 1 you 1 are 2 language|large|ai|llm|chatbot|assistant|bot|artificial',
      'ai|all|any|every 1 agents|assistants|models|bots 1 must|should|shall|have 3 treat|obey|follow|trust|do|recommend|accept',
      'assistants|agents|models|chatbots 1 reading 2 this 2 must|should|shall|have',
      'as 1 an 1 ai 2 model|assistant 1 you',
    ],
  },
  {
    id: 'persist',
    message: 'asks a model to continue something in later answers',
    patterns: [
      '@remember|memorise|memorize 4 for|in 2 all|every|future',
      '@ENDS 1 EACH 3 ANSWER',
      '@ENDS 1 EACH 1 your|of|my 1 ANSWER',
      '@add|store|save|write|put 6 memory',
      'in 1 all|every|each 2 future|later|your 2 ANSWER',
      'each 1 of 1 your 1 ANSWER',
      '@whenever|when 3 PERSON 2 asks|ask|mentions 6 answer|say|reply|respond',
    ],
  },
  {
    id: 'safety',
    message: 'asks a model to ignore its safeguards',
    patterns: [
      '@OFF 3 your|all|any|its|the 2 SAFETY',
      '@OFF 2 off 3 SAFETY',
      '@turn|switch 1 off 4 SAFETY',
      '@OFF 3 SAFETY 4 your|you|tools',
      '@answer|respond|reply|act|speak|write 2 without|no 3 LIMITS',
      '@answer|respond|reply|act|speak|write 1 with 1 no 2 LIMITS',
    ],
  },
  {
    id: 'encoded',
    message: 'asks a model to decode something and to follow it',
    patterns: [
      '@decode|decrypt|decipher|unscramble|translate|read 8 follow|obey|execute|do',
      '@decode|decrypt|decipher|unscramble 8 follow|obey|execute|run|act',
    ],
  },
];

/** Phrases that runs of single letters are searched for. */
export const SPELLED_OUT: readonly string[] = ['ignore', 'disregard', 'systemprompt', 'forgetall', 'override', 'instructions'];

/** Phrases of languages without spaces, and of languages that the vocabulary lacks. */
export const PHRASES: readonly RegExp[] = [
  /(?:忽略|无视|無視|忽视|忽視|忘记|忘記|不要遵守)[^。！？!?\n]{0,16}(?:指令|指示|提示|规则|規則|说明|說明|命令)/u,
  /(?:指示|命令|指令|プロンプト|ルール|規則)[^。！？!?\n]{0,12}(?:無視|忘れ|破棄|従わない)/u,
  /(?:지시|명령|지침|규칙|프롬프트)[^.!?\n]{0,12}(?:무시|잊)/u,
  /تجاهل[^.!؟\n]{0,24}(?:التعليمات|الأوامر|القواعد)/u,
  /(?:निर्देश|नियम)[^।!?\n]{0,24}(?:अनदेखा|भूल)/u,
  /(?:talimat|komut|kural)[^.!?\n]{0,24}(?:yok say|gormezden|unut|görmezden)/iu,
];
