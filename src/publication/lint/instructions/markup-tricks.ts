/** A way in which markup speaks to a model, or hides where something leads. All patterns are bounded and begin with a rare character. */
export const MARKUP_TRICKS: readonly { readonly id: string; readonly message: string; readonly pattern: RegExp }[] = [
  {
    id: 'chat-markup',
    message: 'holds a mark by which chat templates tell roles apart',
    pattern:
      /<\|[a-z_ ]{2,24}\|?>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|prompt|tool_call|tool_result|function_calls?|user_query|admin)>/i,
  },
  {
    id: 'chat-markup',
    message: 'begins a line like a message of a chat',
    pattern: /^[ \t>#*-]{0,8}(?:system|assistant|developer)(?: (?:message|prompt|note|override))?\*{0,2}[ \t]*:/im,
  },
  {
    id: 'chat-markup',
    message: 'begins a section as prompts do',
    pattern: /^[ \t]{0,3}#{1,6}[ \t]*(?:instructions?[ \t]*:|system prompt|system message|new instructions)/im,
  },
  {
    id: 'chat-markup',
    message: 'draws a border as if its text ended there',
    pattern: /[-=*#]{3}[ \t]*(?:end|begin|start) (?:of )?(?:the )?(?:user|system|admin|context|document|input|prompt|override|message)/i,
  },
  {
    id: 'new-task',
    message: 'announces new instructions',
    pattern: /\b(?:new|updated|revised|replacement) (?:system )?(?:instructions?|directives?|orders?|task|rules)[ \t]*:/i,
  },
  { id: 'html-comment', message: 'holds an HTML comment, which readers do not see', pattern: /<!--/ },
  { id: 'script-link', message: 'links to a data or script address', pattern: /\]\([ \t]{0,4}<?(?:data|javascript|vbscript|file):/i },
];

/** A link with an address as its text: the text and the target. */
const LINK = /\[((?:https?:\/\/|www\.)[^\][\s]{1,200})\]\(<?(https?:\/\/[^\s)>]{1,300})/gi;

/** The links whose text is the address of another host than the one that they lead to. */
export function misleadingLinks(text: string): { readonly index: number }[] {
  return [...text.matchAll(LINK)].flatMap(({ 1: shown = '', 2: target = '', index }) =>
    hostOf(shown) === hostOf(target) ? [] : [{ index }],
  );
}

function hostOf(address: string): string {
  return (/^(?:https?:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '').toLowerCase().replace(/^www\./, '');
}
