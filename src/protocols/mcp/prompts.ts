/** A prompt that a person may choose in a client (MCP, "Prompts"). */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

export const PROMPTS: readonly (Prompt & { readonly arguments: { name: string; description: string; required: boolean }[] })[] = [
  {
    name: 'answer_with_quotes',
    title: 'Answer with verified quotations',
    description: 'A question that is answered from this publication alone, each statement with a quotation that was verified.',
    arguments: [{ name: 'question', description: 'The question.', required: true }],
    text: ({ question = '' }) =>
      `${question}\n\nAnswer from results of the tools "search" and "fetch" alone. Quote the passages that the answer rests on, check each with "verify_quote", and name the title and the url. If every level is weak, say that this publication has no answer.`,
  },
  {
    name: 'check_quote',
    title: 'Check a quotation',
    description: 'Whether a quotation is word for word in a capsule, and whether the capsule is current.',
    arguments: [
      { name: 'capsule_id', description: 'Id of the capsule.', required: true },
      { name: 'quote', description: 'The quotation.', required: true },
    ],
    text: ({ capsule_id = '', quote = '' }) =>
      `Is this quotation word for word in the capsule "${capsule_id}", and is the capsule current?\n\n> ${quote.replaceAll('\n', '\n> ')}`,
  },
];

/** The messages of a prompt, or what is wrong with the request. */
export function getPrompt(name: string, args: Readonly<Record<string, string>>) {
  const prompt = PROMPTS.find((known) => known.name === name);
  if (prompt === undefined) return `Unknown prompt "${name}". prompts/list names all prompts.`;
  const missing = prompt.arguments.filter((argument) => argument.required && (args[argument.name] ?? '') === '');
  if (missing.length > 0) return `Missing arguments: ${missing.map((argument) => argument.name).join(', ')}.`;
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(args) } }],
  };
}
