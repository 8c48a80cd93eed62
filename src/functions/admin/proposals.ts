import { ageOf, proposalNamed, requestOf } from '../../administration/proposals.ts';
import type { AdminEntry, AdminForm } from '../../http/page-props.ts';
import { listProposals, type StoredProposal } from '../../platform/d1/submissions.ts';
import { PATHS } from '../../schemas/paths.ts';
import { terminalLine, visibleLines } from '../../text/visible-text.ts';
import type { View } from './view.ts';

export const proposals: View = async ({ database, nowMs }) => {
  const all = await listProposals(database, true);
  const entryOf = (proposal: StoredProposal): AdminEntry => ({
    title: `${proposal.number}: ${terminalLine(proposal.capsuleId)}`,
    href: `${PATHS.admin}/proposals/${proposal.number}`,
    state: stateOf(proposal),
    facts: [
      ['', `${proposal.kind}, ${ageOf(nowMs - proposal.receivedAtMs)} ago, by ${proposersOf(proposal)}`],
      ...(proposal.state === 'accepted' ? [['Write it', acceptCommand(proposal)] as const] : []),
    ],
  });
  const pending = all.filter(({ state }) => state === 'pending');
  return {
    title: 'Proposals',
    lead: 'New capsules and corrections that agents propose.',
    sections: [
      { heading: 'To decide', empty: 'No proposal is waiting.', entries: pending.map(entryOf) },
      {
        heading: 'Decided',
        note: 'What is accepted here is written into content/ by the command beside it.',
        empty: 'Nothing was decided yet.',
        entries: all
          .filter(({ state }) => state !== 'pending')
          .reverse()
          .map(entryOf),
      },
    ],
  };
};

function stateOf({ state }: StoredProposal): NonNullable<AdminEntry['state']> {
  if (state === 'pending') return { status: 'open', label: 'Pending' };
  return state === 'accepted' ? { status: 'passed', label: 'Accepted' } : { status: 'failed', label: 'Rejected' };
}

function proposersOf({ proposers }: StoredProposal): string {
  return proposers.map(({ name, agent }) => (name === undefined ? `agt_${agent}` : `“${terminalLine(name)}” (agt_${agent})`)).join(', ');
}

function acceptCommand({ number }: StoredProposal): string {
  return `npm run intake -- accept ${number} --remote`;
}

export const proposal: View = async ({ database }, id) => {
  const stored = await proposalNamed(database, id);
  const { number, state, kind, capsuleId, reason, proposers, body } = stored;
  const request = requestOf(stored);
  const subject = String(number);
  const forms: AdminForm[] =
    state === 'pending'
      ? [
          ...(request === undefined ? [] : [{ action: 'intake accept', subject, label: 'Accept', command: acceptCommand(stored) }]),
          {
            action: 'intake reject',
            subject,
            label: 'Reject',
            isGrave: true,
            inputs: [{ name: 'reason', label: 'Why, in one line; the agent reads it' }],
            command: `npm run intake -- reject ${number} --reason "…" --remote`,
          },
        ]
      : state === 'rejected'
        ? [{ action: 'intake reopen', subject, label: 'Reopen', command: `npm run intake -- reopen ${number} --remote` }]
        : [];
  const notes = proposers.flatMap(({ note }) => (note === undefined ? [] : [['Note', visibleLines(note)] as const]));
  const shown: AdminEntry[] =
    request === undefined
      ? [{ title: 'As it was stored, in an older format', text: visibleLines(body) }]
      : request.kind === 'correction'
        ? [
            {
              title: `Passage of version ${request.version}`,
              changes: wordChanges(request.quote, request.replacement).map(({ kind: how, text }) => ({
                kind: how,
                text: visibleLines(text),
              })),
              facts: [
                ['Because', visibleLines(request.reason)],
                ...request.sources.map(({ title, url }) => ['New source', terminalLine(`${title}, ${url}`)] as const),
              ],
            },
          ]
        : [
            {
              title: terminalLine(request.metadata.title),
              changes: [{ kind: 'added', text: visibleLines(request.markdown) }],
              facts: [
                ['Claim', terminalLine(request.metadata.summary)],
                ...request.metadata.sources.map(({ title, url }) => ['Source', terminalLine(`${title}, ${url}`)] as const),
              ],
            },
          ];
  return {
    title: `Proposal ${number}`,
    lead: `${kind === 'capsule' ? 'A new capsule' : 'A correction'}: ${terminalLine(capsuleId)}`,
    sections: [
      {
        heading: 'Decision',
        entries: [
          {
            title: proposersOf(stored),
            state: stateOf(stored),
            facts: [...(reason === undefined ? [] : [['Reason', terminalLine(reason)] as const]), ...notes],
            forms,
          },
        ],
      },
      { heading: 'What it changes', entries: shown },
    ],
  };
};

/** The words between the common beginning and the common end of a passage and its replacement. */
function wordChanges(before: string, after: string): NonNullable<AdminEntry['changes']> {
  const wordsOf = (text: string): string[] => text.split(/(?<=\s)(?=\S)/);
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const text = (words: readonly string[], from: number, to: number): string => words.slice(from, to).join('');
  return [
    { kind: 'same', text: text(a, 0, start) },
    { kind: 'removed', text: text(a, start, a.length - end) },
    { kind: 'added', text: text(b, start, b.length - end) },
    { kind: 'same', text: text(a, a.length - end, a.length) },
  ];
}
