import type { A2A_VERSIONS } from '../versions.ts';
import type { SkillAnswer } from './run-skill.ts';
import type { A2aMessage, OutputMode } from './schemas.ts';

/** What a message has besides the answer. */
interface MessageFrame {
  readonly messageId: string;
  readonly contextId: string;
  readonly outputModes: readonly OutputMode[];
  readonly version: (typeof A2A_VERSIONS)[number];
}

/** The answer as a message of a version of A2A. Since 1.0 the members of a part tell its kind (A2A 1.0, appendix A.2.1). */
export function writeMessage({ text, data }: SkillAnswer, { messageId, contextId, outputModes, version }: MessageFrame): A2aMessage {
  const isOld = version === '0.3';
  const parts = outputModes.map((mode): A2aMessage['parts'][number] => {
    if (mode === 'application/json') return isOld ? { kind: 'data', data } : { data, mediaType: mode };
    return isOld ? { kind: 'text', text } : { text, mediaType: mode };
  });
  return isOld ? { kind: 'message', messageId, contextId, role: 'agent', parts } : { messageId, contextId, role: 'ROLE_AGENT', parts };
}
