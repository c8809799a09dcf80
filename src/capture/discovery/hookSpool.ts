import { open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../core/message.js';
import { fields, parts, text, type Fields } from '../../import/tools/hint.js';
import type { HookSaid } from './sessionState.js';

/** How much of what hooks said before is read at the beginning, in bytes. */
const MAX_READ = 256 * 1024;
/** From which length on a file is begun anew, in bytes. */
const MAX_FILE = 4 * 1024 * 1024;
/** How long after a question its tool may give notice of it, in milliseconds. */
const NOTICED_MS = 15_000;
/** The latest time that can be told, in seconds since 1970. */
const MAX_AT = 1e11;
/** How many sessions are remembered. */
const MAX_SESSIONS = 2_000;

/** The tools whose hooks write here, in a file each. */
const TOOLS = ['claude-code', 'codex', 'copilot-cli'] as const;

/** What hooks say: each writes a line with the time and what its tool told it into a file of ours, which is read on. */
export class HookSpool {
  readonly #folder: string;
  readonly #read = new Map<string, number>();
  /** By tool and session: what each of its agents was told of last. */
  readonly #said = new Map<string, Map<string, HookSaid>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was said last, by tool and session. */
  async look(): Promise<ReadonlyMap<string, HookSaid>> {
    for (const tool of TOOLS) await this.#readOn(tool);
    const found = new Map<string, HookSaid>();
    for (const [key, agents] of this.#said) {
      // Whoever waits waits, whatever the others do.
      const all = [...agents.values()];
      const said = all.find(({ state }) => state === 'waiting') ?? agents.get('');
      if (said) found.set(key, said);
    }
    return found;
  }

  async #readOn(tool: string): Promise<void> {
    const path = join(this.#folder, `${tool}.jsonl`);
    // Without hooks there is no file.
    const size = (await stat(path).catch(() => undefined))?.size;
    if (size === undefined) {
      this.#read.delete(path);
      return;
    }
    const before = this.#read.get(path) ?? Math.max(0, size - MAX_READ);
    const from = size < before ? 0 : Math.max(before, size - MAX_READ);
    if (size > from) {
      const whole = await bytesOf(path, from, size - from);
      const end = whole.lastIndexOf('\n') + 1;
      for (const line of whole.subarray(0, end).toString('utf8').split('\n')) this.#take(tool, line);
      this.#read.set(path, from + end);
    }
    // Who has read the rest begins with the next file; the hook makes it.
    if (size > MAX_FILE) await unlink(path).catch(() => undefined);
  }

  #take(tool: string, line: string): void {
    const value = parsed(line) ?? beginningOf(line);
    if (!isObject(value) || typeof value.at !== 'number' || !(value.at < MAX_AT)) return;
    const told = fields(value.said);
    const session = text(told.session_id) ?? text(told.sessionId);
    const said = saidBy(told);
    if (session === undefined || !said) return;
    const key = `${tool} ${session}`;
    const agents = this.#said.get(key) ?? new Map<string, HookSaid>();
    const agent = text(told.agent_id) ?? '';
    // A second is not told more closely: what came within it is no older than what a file says of it.
    const at = value.at * 1000 + 999;
    if (!isTold({ ...said, at }, agents.get(agent))) agents.set(agent, { ...said, at });
    this.#said.delete(key);
    this.#said.set(key, agents);
    const [oldest] = this.#said.keys();
    if (this.#said.size > MAX_SESSIONS && oldest !== undefined) this.#said.delete(oldest);
  }
}

/** Whether it is the notice of a question that was told already, which comes later and says less. */
function isTold({ state, waitsFor, words, at }: HookSaid, before: HookSaid | undefined): boolean {
  const isSame = before?.state === 'waiting' && state === 'waiting' && before.waitsFor === waitsFor;
  return isSame && before.words !== undefined && words === undefined && at - before.at < NOTICED_MS;
}

/** What an event means; undefined for one that means nothing for the state. */
function saidBy(told: Fields): Omit<HookSaid, 'at'> | undefined {
  const { hook_event_name: name, notification_type: kind, tool_input: input } = told;
  switch (name ?? (kind === undefined ? undefined : 'Notification')) {
    case 'PermissionRequest': {
      const words = text(fields(input).command) ?? text(told.tool_name);
      return { state: 'waiting', waitsFor: 'approval', ...(words !== undefined && { words }) };
    }
    case 'Notification':
    case 'notification':
      if (kind === 'permission_prompt') return { state: 'waiting', waitsFor: 'approval' };
      return kind === 'elicitation_dialog' ? { state: 'waiting', waitsFor: 'dialog' } : undefined;
    case 'UserPromptSubmit':
      return { state: 'working' };
    case 'Stop':
    case 'agentStop':
      // Only here it is told exactly whether work goes on.
      return { state: parts(told.background_tasks).length > 0 ? 'working' : 'finished' };
    case 'SessionEnd':
    case 'sessionEnd':
      return { state: 'gone' };
    default:
      return undefined;
  }
}

async function bytesOf(path: string, from: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Where what the agent itself says begins: of that nothing is taken for what its tool says. */
const SAID_BY_AGENT = /"(?:tool_input|tool_response|prompt|last_assistant_message|message)"\s*:/;
/** What a tool says first in all that it tells. */
const TOLD = ['session_id', 'sessionId', 'agent_id', 'hook_event_name', 'notification_type', 'tool_name'];

/** What the beginning of a line tells that was cut, since its tool told more than is kept. */
function beginningOf(line: string): unknown {
  const [, at, rest = ''] = /^\{"at":(\d{1,12}),"said":(.*)$/.exec(line) ?? [];
  if (at === undefined) return undefined;
  const [head = ''] = rest.split(SAID_BY_AGENT);
  const told = TOLD.flatMap((name) => {
    const [, value] = new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,200})"`).exec(head) ?? [];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { at: Number(at), said: Object.fromEntries(told) as unknown };
}

/** A line that is cut, or of which two were written into each other, says nothing. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
