import { appendAll } from '../../../core/lists.js';
import { textOf } from '../../../core/message.js';
import { asText, fields, text, type Fields } from '../../reading/fields.js';
import type { SpeakerMark } from '../../building/whoSpeaks.js';

const PERSON: SpeakerMark = { kind: 'person' };

/** What Claude Code's words for the origin of a line in a person's name say, but for those of other agents. */
const ORIGINS: ReadonlyMap<string, SpeakerMark> = new Map<string, SpeakerMark>([
  ['human', PERSON],
  ['sdk', PERSON],
  ['task-notification', { kind: 'notification' }],
  ['scheduled-trigger', { kind: 'notification' }],
]);

/** Where a prompt came from. */
const PROMPT_SOURCES: ReadonlyMap<unknown, SpeakerMark> = new Map<unknown, SpeakerMark>([
  ['typed', PERSON],
  ['queued', PERSON],
  ['sdk', PERSON],
  ['system', { kind: 'reminder' }],
]);

/**
 * Whose words a line in a person's name is, by Claude Code's own marks; undefined for a line of a version that has none. What
 * is only marked as put there is, without a tag that says more, a reminder.
 */
export function claudeMark(line: Fields): SpeakerMark | undefined {
  const { origin, turnOrigin, promptSource, isMeta, isCompactSummary, isVisibleInTranscriptOnly } = line;
  if (isCompactSummary === true || isVisibleInTranscriptOnly === true) return { kind: 'summary' };
  const kind = (text(fields(origin).kind) ?? text(origin) ?? text(turnOrigin) ?? '').replaceAll('_', '-');
  if (kind === 'peer' || kind === 'coordinator')
    return { kind: 'agent', by: text(fields(origin).name) ?? (kind === 'peer' ? undefined : kind) };
  const known = ORIGINS.get(kind);
  if (known && known !== PERSON) return known;
  // A person's is said to be one: whatever else it may be, a program has sent it.
  if (kind !== '' && !known) return { kind: 'notification' };
  if (isMeta === true || line.turnCompanion === true) return { kind: 'reminder' };
  return PROMPT_SOURCES.get(promptSource) ?? known;
}

/** What was typed while the agent worked, as lines about the queue tell it. */
export class ClaudeQueue {
  readonly #waiting: string[] = [];
  /** Of each text in the queue: how often it was taken in without a line of its own, less how often a line says it. */
  readonly #unsaid = new Map<string, number>();
  /** The texts that left the queue for a line of their own. */
  readonly #dequeued: string[] = [];

  /** Looks at the lines of a session in order, before they are read. */
  look(line: Fields): void {
    const { type, operation, content } = line;
    if (type === 'user') this.#say(textOf(contentIn(line.message)));
    else if (type === 'attachment') this.#say(queuedText(line.attachment));
    if (type !== 'queue-operation') return;
    const prompt = asText(content).trim();
    if (operation === 'enqueue') this.#enqueue(prompt);
    else if (operation === 'dequeue') appendAll(this.#dequeued, this.#waiting.splice(0, 1));
    else if (operation === 'popAll') this.#waiting.length = 0;
    else this.#count(absorbed(line, this.#waiting), 1);
  }

  #enqueue(prompt: string): void {
    this.#waiting.push(prompt);
    this.#count(prompt, 0);
  }

  #say(words: string): void {
    const said = words.trim();
    const at = this.#dequeued.indexOf(said);
    if (at >= 0) this.#dequeued.splice(at, 1);
    else if (this.#unsaid.has(said)) this.#count(said, -1);
  }

  #count(prompt: string | undefined, by: number): void {
    if (prompt !== undefined) this.#unsaid.set(prompt, (this.#unsaid.get(prompt) ?? 0) + by);
  }

  /** What only the queue says of a line that is read now, once for each time. */
  take(line: Fields, waiting: string[]): string | undefined {
    const prompt = absorbed(line, waiting);
    if (prompt === undefined || (this.#unsaid.get(prompt) ?? 0) <= 0) return undefined;
    this.#count(prompt, -1);
    return prompt;
  }

  /** How much only the queue says, of which what is read depends. */
  get assumed(): number {
    return [...this.#unsaid.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
  }
}

/** The prompt that a line takes out of the queue because the agent was given it while it worked. */
function absorbed({ operation, reason, content }: Fields, waiting: string[]): string | undefined {
  if (operation !== 'remove') return undefined;
  const named = asText(content).trim();
  const at = named === '' ? 0 : waiting.indexOf(named);
  const [prompt = named] = at < 0 ? [] : waiting.splice(at, 1);
  // Versions before 2.1.246 gave no reason.
  return prompt !== '' && (reason === undefined || reason === 'absorbed_mid_turn') ? prompt : undefined;
}

function contentIn(message: unknown): unknown {
  return fields(message).content;
}

/** What a line says that gives an agent what was queued. */
function queuedText(attachment: unknown): string {
  const { type, prompt } = fields(attachment);
  return type === 'queued_command' ? textOf(prompt) : '';
}

/** What Claude Code adds to the answer of a subagent for the agent that asked it: how to go on with it, and what it used. */
const TRAILER = /(?:^|\n)\s*agentId: [\w-]+(?: \([^()\n]*\))?\s*(?:<usage>[^<]*<\/usage>\s*)?$/;

/** The result of a subagent without what the tool has added to its answer; the same one where nothing was. */
export function withoutTrailer(result: Fields): Fields {
  const { content } = result;
  if (typeof content === 'string') return { ...result, content: content.replace(TRAILER, '') };
  if (!Array.isArray(content)) return result;
  const parts = (content as unknown[]).flatMap((part) => {
    const said = text(fields(part).text);
    if (said === undefined || !TRAILER.test(said)) return [part];
    const answer = said.replace(TRAILER, '');
    return answer === '' ? [] : [{ ...fields(part), text: answer }];
  });
  const [only, ...more] = parts.map(fields);
  const isText = only?.type === 'text' && more.length === 0 && Object.keys(only).length === 2;
  return { ...result, content: isText ? only.text : parts };
}
