import { visibleLine } from '../../core/visibleText.js';
import type { ChatMemory } from './chatMemory.js';

/** A question that is offered below an answer, as VS Code's Chat view takes it. */
export interface FollowUp {
  readonly prompt: string;
  readonly label: string;
  /** The command of the participant; absent: the conversation goes on. */
  readonly command?: 'run';
}

/** So many agents are offered; more would hide the answer. */
const MOST = 3;

/**
 * What may be asked next: another agent the same, in a conversation of its own; after a stop, to go on; where no agent
 * was named that there is, those there are. `agents` are the names of those that can be run.
 */
export function followUps(memory: ChatMemory | undefined, agents: readonly string[]): readonly FollowUp[] {
  if (!memory || memory.ended === 'refused') return [];
  const { ended, prompt } = memory;
  if (ended === 'stopped') return [{ label: 'Go on', prompt: 'Go on where you stopped.' }];
  if (prompt === '') return [];
  const [same, asked] = ended === 'done' ? [' the same', memory.agent] : ['', undefined];
  const others = agents.filter((name) => name !== asked).slice(0, MOST);
  return others.map((name) => {
    return { label: `Ask ${visibleLine(name)}${same}`, command: 'run', prompt: `${name} ${prompt}` };
  });
}
