import type { Publication } from '../../publication/publication.ts';
import { docPath, PATHS } from '../../schemas/paths.ts';
import { type AgentSkill, agentSkill } from './agent-skill.ts';

/** The skill of copying the whole corpus and proving that the copy is complete; works in both modes. */
export function mirrorCorpus({ deployment: { baseUrl }, publisher: { name } }: Publication): AgentSkill {
  return agentSkill({
    name: 'mirror',
    description: `Copy every text of ${name} with its history, and check that the copy is complete. Use it to work offline or to keep a mirror.`,
    representativeQueries: [`Copy all texts of ${name} for offline use`, `Check that my mirror of ${name} is complete and unchanged`],
    body: `# Mirror the corpus

No key is needed, and files are not counted against a limit. The commands need curl and Node 20 or newer.

## 1. Download the manifest and the bundle

The address of a part is its digest, so a part that you already have need not be fetched again. Each line of a part is one capsule as JSON.

\`\`\`sh
curl -sf ${baseUrl}${PATHS.mirrorManifest} -o manifest.json
for part in $(node -p 'require("./manifest.json").statement.bundle.parts.map(({ uri }) => uri).join("\\n")'); do
  curl -sf ${baseUrl}"$part" -o "$(basename "$part")"
done
\`\`\`

## 2. Check the copy

The verifier is one file without dependencies; keep a copy that you trust.

\`\`\`sh
curl -sf ${baseUrl}${PATHS.verifier} -o verify.mjs
node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { basename } from "node:path";
  import { verify } from "./verify.mjs";
  const document = readFileSync("manifest.json");
  const parts = JSON.parse(document).statement.bundle.parts.map(({ uri }) => readFileSync(basename(uri)));
  const { checks, exit } = await verify({ document, parts });
  if (exit !== 0) throw new Error(JSON.stringify(checks));
  console.log("The copy is complete.");'
\`\`\`

If the check fails because the site was published meanwhile, start again at step 1. How to follow changes, and what a check proves: ${baseUrl}${docPath('verifying')}
`,
  });
}
