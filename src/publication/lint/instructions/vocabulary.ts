/**
 * Words by their meaning for the rules, in lower case and without accents, as from `wordsOfText`. English first, then German,
 * French, Spanish, Portuguese, Italian, Dutch, Polish and Russian where a rule has them.
 */
const WORDS = {
  DROP: `ignore disregard forget neglect discard override overwrite skip drop erase abandon bypass dismiss omit void
    ignoriere ignoriert vergiss vergesst missachte missachtet verwirf ignorez oublie oubliez ignora olvida olviden ignoren omite descarta descarte
    esqueca desconsidere dimentica dimenticate scorda negeer vergeet zignoruj zapomnij pomin игнорируи игнорируите забудь забудьте`,
  FOLLOW: `follow following obey obeying apply applying comply complying listen listening adhere adhering honor honour respect respecting
    heed trust befolge befolgt folge suis suivez sigas siga segui volg`,
  PRIOR: `previous prior above earlier preceding existing original initial former past before older system foregoing first
    vorherigen vorherige bisherigen bisherige obigen fruheren vorigen precedentes precedente anterieures dessus anteriores anterior previas previos previa
    precedenti eerdere vorige bovenstaande poprzednie poprzednich wczesniejsze wczesniejszych предыдущие предыдущих прежние`,
  ALL: `all any every everything whatever each other your yours these those the alle alles deine deinen ihre toutes tous tes vos todas todos tus tutte
    i wszystkie swoje все всё твои`,
  OWNED: `your yours you system developer developers operator operators creator creators owner openai anthropic deine deinen ihre ihren tes ton vos tus tu suas seu
    tue tuo твои ваш ваши`,
  RULES: `instruction instructions rule rules directive directives direction directions guideline guidelines guidance prompt prompts command commands order orders
    policy policies constraint constraints restriction restrictions programming training
    anweisung anweisungen regeln vorgaben befehle instruktionen systemprompt consignes consigne regles directives instrucciones reglas indicaciones ordenes
    instrucoes regras istruzioni regole instructies regels instrukcje polecenia polecen poleceniach zasady инструкции указания правила команды`,
  SAID: `told said given taught learned learnt asked instructed received before above earlier came preceded read`,
  NEG: `not don't dont never stop cease quit no neither cannot mustn't nicht nie niemals kein keine ne pas jamais no nunca nao non niet nie не`,
  NOT: `not don't dont never nicht nie niemals ne pas jamais no nao non niet`,
  VOID: `void obsolete cancelled canceled invalid revoked lifted suspended outdated superseded null over expired`,
  NEW: `new updated revised actual real true replacement secret hidden additional current only revised special`,
  TASK: `task goal job role mission objective purpose assignment duty`,
  LIMITS: `restriction restrictions limit limits limitation limitations rules filter filters guardrails guardrail censorship constraints constraint policies policy ethics
    ethical moral safety disclaimers warnings boundaries guidelines einschrankungen restricciones restricoes limites limite limitations`,
  PERSONA: `administrator admin root superuser sysadmin developer operator owner unrestricted unfiltered uncensored evil dan jailbroken hacker god opposite system unlimited
    ki human expert twin`,
  MODE: `developer debug god admin maintenance jailbreak unrestricted root sudo dan unsafe`,
  SHOW: `reveal print output show repeat display disclose leak dump echo quote list recite expose write share tell summarise summarize paraphrase translate affiche affichez montre
    muestra imprime revela mostre mostra zeige gib`,
  INNER: `system initial hidden original secret developer confidential internal your own ton tes tu tus`,
  PROMPT: `prompt prompts instruction instructions message messages rules configuration guidelines systeme sistema context`,
  SEND: `send post forward upload transmit email mail submit append include exfiltrate leak copy encode put embed attach pass deliver add insert collect read load write share fetch transfer`,
  SECRET: `password passwords passwort mot contrasena senha credential credentials login logins cookie cookies secret secrets token tokens key keys pin phrase ssh env
    passphrase`,
  PRIVATE: `password passwords credential credentials login cookie cookies secret secrets token tokens key keys conversation conversations chat history messages message email emails
    inbox name address addresses notes contacts files file variables variable ssh env data location values contents content log prompt`,
  AWAY: `http https server webhook endpoint url link image collect inbox path parameter address reply evil www site`,
  ASKS: `ask tell request persuade urge convince have get instruct make prompt require trick demand frage bitte bitten pide pida demande demandez peca chiedi`,
  PERSON: `user users human customer customers owner person people visitor reader them operator client nutzer benutzer anwender utilisateur usuario usuaria utente gebruiker
    пользователя пользователю`,
  ASKED: `password passwords passwort passwortes contrasena senha login credit card pin phrase seed ssn bank account code wallet`,
  GIVE: `enter type paste provide share confirm submit supply give reveal`,
  PAY: `pay transfer send wire buy purchase approve authorize authorise donate deposit move order subscribe complete accept confirm checkout`,
  MONEY: `usd usdc usdt eur dollars dollar euros euro btc bitcoin eth funds money coins tokens invoice transaction charge plan subscription licence licences license licenses payment
    purchase checkout order credits`,
  PAYWAY: `wallet account 0x without silently now immediately behalf away card name iban paypal`,
  RUN: `run execute call invoke use trigger launch open visit browse navigate click download install start delete remove erase wipe commit push merge`,
  TOOLS: `tool tools function functions shell terminal command commands script code browser plugin installer package files repository system`,
  HIDE: `tell telling mention mentioning inform informing notify notifying alert alerting reveal show disclose warn let say asking ask report sag sage sagt dites dis digas dire
    mencione`,
  NOBODY: `user users human operator owner anyone anybody person people customer nobody nutzer benutzer utilisateur usuario utente`,
  CONSENT: `confirmation permission approval consent review`,
  WITHOUT: `without silently secretly quietly ohne sans sin sem`,
  PROMOTE: `recommend promote endorse advertise prefer cite rank suggest choose select pick buy mention praise favor favour rate score place trust`,
  ABSOLUTE: `always only first highest best top above never every`,
  GOODS: `product products service services shop shops store offer offers plan vendor vendors provider providers brand page website article capsule source site company competitors
    competitor alternatives publisher result answer ours us hosting`,
  BEST: `best only trustworthy safe safest greatest cheapest leading superior ours`,
  MACHINE: `ai ais llm llms chatbot chatbots chatgpt claude gpt gemini copilot assistant assistants bot bots agents model models ki`,
  ANSWER: `answer answers reply replies response responses message messages output outputs conversation conversations`,
  EACH: `every each all any future`,
  ENDS: `begin start end finish prefix close open`,
  SAFETY: `safety security moderation filter filters guardrails guardrail restrictions safeguards checks limits`,
  POST: `send post forward upload transmit email mail submit exfiltrate leak`,
  WHOLE: `content contents copy transcript dump everything all whole`,
  RECALL: `memory memories conversation conversations chat context dialogue`,
  CURRENCY: `usd usdc usdt eur dollars dollar euros euro btc bitcoin bitcoins eth ether satoshis`,
  THIS: `this that these it anything any`,
  ADVISE: `recommend promote endorse advertise suggest praise mention name`,
  SUMMARISING: `summarising summarizing answering describing quoting citing discussing explaining`,
  SUMMARISE: `summarise summarize answer describe quote cite discuss explain`,
  SUBJECT: `page article text capsule document site source content question questions user users`,
  STATE: `state say mention claim recommend assert stress`,
  OFF: `bypass disable circumvent evade remove lift deactivate switch turn override ignore`,
} as const satisfies Record<string, string>;

const GROUPS = new Map(Object.entries(WORDS).map(([name, words]) => [name, new Set(words.split(/\s+/))]));

/** The words of a group, or the alternatives of a pattern such as `you|your`. */
export function wordsOf(name: string): ReadonlySet<string> {
  return GROUPS.get(name) ?? new Set(name.split('|'));
}

/** Words after which a verb is a command, besides the beginning of a clause. */
export const LEADS: ReadonlySet<string> = new Set(
  `please kindly now then and but so also just simply always instead first immediately henceforth silently quietly secretly again you must bitte favor plait veuillez
  prosze пожалуиста never again do`.split(/\s+/),
);

/** Verbs that report what others do: a command inside such a clause is reported, not issued. */
export const TELLS: ReadonlySet<string> = new Set(
  `tells told asks says makes making instructs instructing wants tries trying may might could can attempts order tell ask model models attacker attackers`.split(
    /\s+/,
  ),
);
