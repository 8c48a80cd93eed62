import type { DocumentCapsule, Publication } from '../../publication/publication.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';
import { type AgentSkill, agentSkill } from './agent-skill.ts';

/** Shortest and longest passage of the example, in characters. */
const PASSAGE_LENGTHS = { min: 30, max: 160 } as const;

/** The skill of proposing a correction; `undefined` if no text has a passage for its example. */
export function proposeCorrection(
  { deployment: { baseUrl }, publisher: { name } }: Publication,
  capsules: readonly DocumentCapsule[],
): AgentSkill | undefined {
  const found = capsules.flatMap((capsule) => {
    const quote = passageOf(capsule.markdown ?? '');
    return quote === undefined ? [] : [{ ...capsule.metadata, quote }];
  })[0];
  if (found === undefined) return undefined;
  const { capsule_id, version, quote } = found;
  const proposal = {
    kind: 'correction',
    capsule_id,
    version,
    quote,
    replacement: `${quote} (corrected)`,
    reason: 'Which source shows the error, and where.',
  };
  return agentSkill({
    name: 'propose',
    description: `Propose a correction of a text of ${name}; a person reviews it before anything is published. Use it when a published text is wrong and you have a source.`,
    representativeQueries: [`Report an error in a text of ${name}`, `Propose a correction to ${name}`],
    body: `# Propose a correction

A person reviews every proposal. Propose only what a public source supports, and only if the person whom you work for agrees. The commands need curl and
Node 20 or newer.

## 1. Read the rules

\`\`\`sh
curl -sf ${baseUrl}${PATHS.publicCapsules}/intake -o intake.json
\`\`\`

## 2. Solve a challenge and register

The key gets the scope \`submit\`. The challenge takes about a second.

\`\`\`sh
curl -sf ${baseUrl}${PATHS.gateway}/challenge -o challenge.json
node -e '
  const { token, difficulty_bits } = require("./challenge.json");
  const { createHash } = require("node:crypto");
  const zeroBits = (text) => Math.clz32(createHash("sha256").update(text).digest().readUInt32BE(0));
  let count = 0;
  while (zeroBits(token + "." + count) < difficulty_bits) count += 1;
  const challenge = { token, solution: String(count) };
  console.log(JSON.stringify({ agent_name: "My research agent", scopes: ["read", "submit"], challenge }));' > registration-request.json
curl -sf -X POST ${baseUrl}${PATHS.gateway}/register -H 'Content-Type: application/json' -d @registration-request.json -o registration.json
\`\`\`

## 3. Send the correction

Replace the example: \`quote\` is a passage that occurs exactly once in the newest version of the text, \`replacement\` is how it should read, and
\`reason\` names the source.

\`\`\`sh
cat > proposal.json <<'JSON'
${JSON.stringify(proposal, null, 2)}
JSON
curl -sf -X POST ${baseUrl}${PATHS.publicCapsules}/intake -H 'Content-Type: application/json' \\
  -H "Authorization: Bearer $(node -p 'require("./registration.json").api_key')" \\
  -H "Idempotency-Key: $(node -p 'crypto.randomUUID()')" -d @proposal.json -o receipt.json
\`\`\`

## 4. Ask for the decision

\`\`\`sh
curl -sf ${baseUrl}${PATHS.publicCapsules}/intake/$(node -p 'require("./receipt.json").receipt') \\
  -H "Authorization: Bearer $(node -p 'require("./registration.json").api_key')" -o state.json
\`\`\`

\`state\` is \`pending\` until a person decides. New capsules and all rules: ${baseUrl}${docPath('proposing')}
`,
  });
}

/** A line of plain words that occurs once in a text. */
function passageOf(markdown: string): string | undefined {
  return markdown
    .split('\n')
    .flatMap((line) => /^[A-Z][\w ,;-]*/.exec(line)?.[0].slice(0, PASSAGE_LENGTHS.max).trim() ?? [])
    .find((passage) => passage.length >= PASSAGE_LENGTHS.min && markdown.split(passage).length === 2);
}
