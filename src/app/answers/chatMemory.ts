import { isObject } from '../../core/message.js';

const ENDS = ['done', 'stopped', 'unknownAgent', 'refused', 'answered'] as const;

/** What an answer of `@logbook` remembers for the next question and for the follow-ups offered below it. */
export interface ChatMemory {
  /** How the question's run ended; `answered`: it asked about recorded sessions and ran nothing. */
  readonly ended: (typeof ENDS)[number];
  /** What was asked, without the agent's name. */
  readonly prompt: string;
  readonly conversation?: string;
  /** The name of the agent that the conversation is with. */
  readonly agent?: string;
}

/** The memory that VS Code stored with an answer; undefined where it is not ours. */
export function chatMemoryOf(metadata: unknown): ChatMemory | undefined {
  if (!isObject(metadata)) return undefined;
  const { ended, prompt, conversation, agent } = metadata;
  const known = ENDS.find((end) => end === ended);
  if (known === undefined || typeof prompt !== 'string') return undefined;
  return {
    ended: known,
    prompt,
    ...(typeof conversation === 'string' && { conversation }),
    ...(typeof agent === 'string' && { agent }),
  };
}
