import { basename, dirname, resolve } from 'node:path';
import { BoundedMap } from '../../core/boundedMap.js';
import { ownTextOf } from '../../core/injected.js';
import { appendAll } from '../../core/lists.js';
import { costOf, formatCost, isKnownCost } from '../../core/cost.js';
import { t } from '../../core/l10n.js';
import { textOf } from '../../core/message.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { promptTitle } from '../../core/promptTitle.js';
import { isMessageRecord, type ApprovalBody, type Decider, type MessageRecord } from '../../core/record.js';
import { singleLine } from '../../core/text.js';
import { nameOf } from '../../provenance/fileBlame.js';
import { EditReader, packedEdits, unpackedEdits, type RecordedEdit } from '../../provenance/recordedEdits.js';
import { deedOf, exitCodeIn } from '../../query/numbers/deed.js';
import { callsOf } from '../../query/numbers/toolCalls.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { NamedSession, SessionParts } from '../stores/namedSessions.js';

/** An edit with the session that tells it. */
export interface SessionEdit extends RecordedEdit {
  /** The id by which the session is found in its source. */
  readonly session: string;
  /** Where that is: the path of a file, or of a store's folder. */
  readonly where: string;
  readonly title: string;
  /** The tool that recorded it; undefined where it was recorded here. */
  readonly source?: string;
  /** What that tool calls the session. */
  readonly toolSession?: string;
  /** What the person asked for, whole: what is shown of it say `beginnings`. */
  readonly asked?: string;
  /** Its place among the edits of its call. */
  readonly index: number;
}

/** What is asked of a session. */
export type EditedSession = Pick<
  NamedSession,
  'id' | 'where' | 'kind' | 'origin' | 'parts' | 'stamp' | 'info' | 'open'
> &
  Partial<Pick<NamedSession, 'entry' | 'others'>>;

/** How much of a prompt is told, in UTF-16 code units, and of how much of it. */
export const TITLE_LENGTH = 200;
const MAX_ASKED = 200_000;
/** Of so many sessions is held which files they edit, and of how many files the edits. */
const MAX_HELD = 4_000;
/** What is larger is read again each time, in bytes. */
const MAX_KEPT = 8 * 1024 * 1024;
/** The part of a session that says which files it edits; those of the edits are called after them. */
const EDITED = 'edits';

/** What is kept under `EDITED`. */
interface KeptNames {
  readonly names: readonly string[];
  /** Whether its file tells of no more: it holds no other session, and all of it could be read. */
  readonly isAll: boolean;
}

/** Says of the parts of a session whether files of some names, see `nameOf`, may be edited by one of its file. */
export function mayEdit(names: ReadonlySet<string>): (parts: SessionParts) => Promise<boolean> {
  return async (parts) => {
    const kept = namesIn(await parts.load(EDITED));
    return kept?.isAll !== true || kept.names.some((name) => names.has(name));
  };
}

function namesIn(part: Buffer | undefined): KeptNames | undefined {
  return part && (JSON.parse(part.toString()) as KeptNames);
}

/** What a session edits: the names of the files, and their edits as far as they were asked for. */
interface Held {
  readonly names: ReadonlySet<string>;
  readonly edits: ReadonlyMap<string, readonly SessionEdit[]> | undefined;
}

/** The edits of sessions; what was read of one is held, and kept with what else is kept of it, for as long as it stays as it is. */
export class SessionEdits {
  readonly #held = new BoundedMap<string, Held>(MAX_HELD);
  readonly #ofFile = new BoundedMap<string, readonly SessionEdit[]>(MAX_HELD);
  /** How many sessions were read for that, for tests. */
  reads = 0;

  /** The edits of files with some of the names, see `nameOf`; of all files where none are given. Rejects where it cannot be read. */
  async of(
    session: EditedSession,
    names: Iterable<string> | undefined,
    signal: AbortSignal,
  ): Promise<readonly SessionEdit[]> {
    const key = `${session.where}\n${session.id}\n${await session.stamp()}`;
    const held = this.#held.get(key) ?? (await this.#hold(session, key, signal));
    const found: SessionEdit[] = [];
    const { title } = await session.info();
    for (const name of names ?? held.names) {
      if (!held.names.has(name)) continue;
      const known = held.edits?.get(name) ?? this.#ofFile.get(`${name}\n${key}`);
      const edits =
        known ?? (await keptEdits(session, name)) ?? (await this.#readAgain(session, name, signal));
      if (!known) this.#ofFile.set(`${name}\n${key}`, edits);
      // A session may have got another title since.
      appendAll(
        found,
        edits.map((edit) => (edit.title === title ? edit : { ...edit, title })),
      );
    }
    return found;
  }

  /** Whether the edits of a session are known without reading it. */
  async isRead(session: EditedSession): Promise<boolean> {
    const key = `${session.where}\n${session.id}\n${await session.stamp()}`;
    return this.#held.get(key) !== undefined || (await session.parts?.load(EDITED)) !== undefined;
  }

  async #hold(session: EditedSession, key: string, signal: AbortSignal): Promise<Held> {
    const kept = namesIn(await session.parts?.load(EDITED));
    if (kept) {
      const held: Held = { names: new Set(kept.names), edits: undefined };
      this.#held.set(key, held);
      return held;
    }
    const read = await this.#read(session, signal);
    const { byName } = read;
    const isKept = await keep(session, read);
    const held: Held = { names: new Set(byName.keys()), edits: isKept ? undefined : byName };
    this.#held.set(key, held);
    for (const [name, edits] of isKept ? byName : []) this.#ofFile.set(`${name}\n${key}`, edits);
    return held;
  }

  async #readAgain(session: EditedSession, name: string, signal: AbortSignal) {
    return (await this.#read(session, signal)).byName.get(name) ?? [];
  }

  async #read(session: EditedSession, signal: AbortSignal) {
    this.reads++;
    return await readEdits(session, signal);
  }
}

/** Keeps the edits of a session, those of each file by themselves; false where they are not all kept. */
async function keep({ parts, others = 0 }: EditedSession, { byName, isWhole }: ReadEdits) {
  if (!parts) return false;
  const all = [...byName].map(([name, edits]) => [name, packedEdits(edits)] as const);
  if (all.some(([, bytes]) => bytes.length > MAX_KEPT)) return false;
  for (const [name, bytes] of all) await parts.save(`${EDITED}:${name}`, bytes);
  const kept: KeptNames = { names: [...byName.keys()], isAll: isWhole && others === 0 };
  await parts.save(EDITED, Buffer.from(JSON.stringify(kept)));
  return true;
}

async function keptEdits({ parts }: EditedSession, name: string) {
  const bytes = await parts?.load(`${EDITED}:${name}`);
  return bytes && (unpackedEdits(bytes) as readonly SessionEdit[]);
}

/** All edits of a session, by the names of their files, and whether all of it could be read. */
interface ReadEdits {
  readonly byName: ReadonlyMap<string, readonly SessionEdit[]>;
  readonly isWhole: boolean;
}

async function readEdits(session: EditedSession, signal: AbortSignal): Promise<ReadEdits> {
  const { id, where, kind, origin } = session;
  const { title, source = origin?.tool, toolSession = origin?.session } = await session.info();
  // Agents that are recorded here work in the folder of the store.
  const folder = kind === 'stored' && source === undefined ? workspaceOf(where) : undefined;
  const transcript = await session.open();
  try {
    const reader = new EditReader(folder);
    const found: (RecordedEdit & { readonly index: number })[] = [];
    for await (const record of restoredRecords(transcript, undefined, signal))
      appendAll(found, numbered(reader.add(record)));
    appendAll(found, numbered(reader.finish()));
    const asked = await promptsOf(transcript, found);
    const byName = new Map<string, SessionEdit[]>();
    for (const edit of found) {
      const prompt = asked.get(edit.prompt ?? -1);
      const told: SessionEdit = {
        ...edit,
        session: id,
        where,
        title,
        ...(source !== undefined && { source }),
        ...(toolSession !== undefined && { toolSession }),
        ...(prompt !== undefined && { asked: prompt }),
      };
      for (const name of new Set([edit.path, edit.movedFrom ?? edit.path].map(nameOf))) {
        const known = byName.get(name);
        if (known) known.push(told);
        else byName.set(name, [told]);
      }
    }
    return { byName, isWhole: transcript.damaged.length === 0 };
  } finally {
    await transcript.close();
  }
}

/** Edits that are told at once, with their places among those of their calls. */
function numbered(edits: readonly RecordedEdit[]): readonly (RecordedEdit & { readonly index: number })[] {
  const counts = new Map<string, number>();
  return edits.map((edit) => {
    const index = counts.get(edit.callId) ?? 0;
    counts.set(edit.callId, index + 1);
    return { ...edit, index };
  });
}

/** The prompts before some edits. */
async function promptsOf(
  transcript: Transcript,
  edits: readonly RecordedEdit[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const at of new Set(edits.flatMap(({ prompt }) => prompt ?? []))) {
    const [record] = await transcript.read(at, at + 1);
    const text = ownTextOf(record).slice(0, MAX_ASKED);
    if (promptTitle(text, TITLE_LENGTH) !== undefined) found.set(at, text);
  }
  return found;
}

function workspaceOf(store: string): string {
  const path = resolve(store);
  return basename(path).startsWith('.') ? dirname(path) : path;
}

/** Something in a session that says why an edit was done, or what came of it. */
export interface WhyStep {
  readonly kind: 'asked' | 'thought' | 'done' | 'approved' | 'tested';
  /** Of the record, from 0. */
  readonly position: number;
  readonly text: string;
}

/** Who approved an edit, in words. */
export function approvalWords(decidedBy: Decider | undefined): string {
  if (decidedBy === undefined) return t`not recorded`;
  return decidedBy === 'user' ? t`by a person` : t`by ${decidedBy}`;
}

/** What the request cost that asked for an edit, in words; perhaps it asked for others, too. */
export function editCostWords({ usage, model = '', time }: SessionEdit, prices: Prices): string {
  const cost = usage && costOf(prices.costOf({ usage, model, time }));
  return cost && isKnownCost(cost) ? t`${formatCost(cost)}, of the request that asked for it` : t`not known`;
}

/** So far before an edit is looked for what its agent thought, and so far behind it for a test, in records. */
const MAX_BEFORE = 500;
const MAX_BEHIND = 2_000;
const PAGE = 200;
/** Of a command so much is looked at, in UTF-16 code units. */
const MAX_COMMAND = 2_000;
/** What runs tests, where a command may begin. */
const BEFORE =
  /(?:^|[;&|(])\s*(?:\w+=\S*\s+|(?:npx|bunx|time|env|sudo|python3?\s+-m|(?:poetry|uv|pdm|hatch|pipenv)\s+run|(?:pnpm|yarn|npm)\s+exec)\s+)*/;
/** Options before what is run: some with a value behind them, which is no word of its own. */
const VALUED =
  /(?:-C|-f|-F|-pl|-w|--(?:prefix|filter|workspace|cwd|manifest-path|import|require|loader|env-file|conditions|test-[a-z-]+))[ \t]/;
const OPTIONS = new RegExp(
  `(?:(?:${VALUED.source}[ \\t]*[^\\s;&|]+|(?!${VALUED.source})[-+][^\\s;&|]+)[ \\t]+)*`,
);
/** It is the first word, but behind what only leads to it, and behind other targets of what builds. */
const RUNNER = new RegExp(
  [
    `(?:npm|pnpm|yarn|bun|deno|go|cargo|dotnet|mix|swift|zig)[ \\t]+${OPTIONS.source}(?:workspace[ \\t]+\\S+[ \\t]+)?(?:(?:run|task|build)[ \\t]+${OPTIONS.source})?test(?![\\w/.])`,
    `(?:make|gradle|\\./gradlew|mvn|rake)[ \\t]+(?:${OPTIONS.source}[a-zA-Z:][^\\s;&|]*[ \\t]+)*${OPTIONS.source}test(?![\\w/.])`,
    `node[ \\t]+${OPTIONS.source}--test(?![\\w/.-])`,
  ].join('|'),
);
const PROGRAM = /(?:\S*\/)?(?:pytest|vitest|jest|mocha|ctest|rspec|phpunit|tox|nox|unittest|ava)(?![\w/.-])/;
const TEST = new RegExp(`${BEFORE.source}(?:${RUNNER.source}|${PROGRAM.source})`, 'm');

/** The prompt of an edit, what its agent said before it, who approved it, and the first test that came after it, as far as they are told. */
export async function whyOf(
  transcript: Pick<Transcript, 'length' | 'read'>,
  edit: SessionEdit,
  signal: AbortSignal,
): Promise<readonly WhyStep[]> {
  const { position, prompt, asked, callId, tool, path } = edit;
  const from = Math.max(prompt === undefined ? 0 : prompt + 1, position - MAX_BEFORE);
  const before = await transcript.read(from, position + 1);
  const own = before.at(-1);
  const call = own && isMessageRecord(own) ? own.call : undefined;
  const steps: WhyStep[] = [];
  if (prompt !== undefined && asked !== undefined)
    steps.push({ kind: 'asked', position: prompt, text: asked });
  for (let at = before.length - 1; at >= 0; at--) {
    const record = before[at];
    if (!record || !isMessageRecord(record) || record.message.role !== 'assistant' || record.call !== call)
      continue;
    const { reasoning_content: thought = '', content } = record.message;
    const text = (thought.trim() === '' ? textOf(content) : thought).trim();
    if (text === '') continue;
    steps.push({ kind: 'thought', position: from + at, text });
    break;
  }
  steps.push({ kind: 'done', position, text: `${tool} ${path}` });
  const end = Math.min(transcript.length, position + 1 + MAX_BEHIND);
  let test: { readonly id: string; readonly call: string; readonly step: WhyStep } | undefined;
  for (let at = position + 1; at < end; at += PAGE) {
    signal.throwIfAborted();
    for (const [index, record] of (await transcript.read(at, Math.min(end, at + PAGE))).entries()) {
      if (record.type === 'approval') {
        const { toolCallId, decidedBy, reason, rule } = record as ApprovalBody & ReadRecord;
        if (toolCallId === callId && record.call === call)
          steps.push({
            kind: 'approved',
            position: at + index,
            text: [approvalWords(decidedBy), rule, reason].filter((part) => part !== undefined).join(', '),
          });
      }
      if (!isMessageRecord(record)) continue;
      const { role, tool_call_id: answered, content } = record.message;
      if (role === 'assistant') test ??= testIn(record, at + index);
      if (role !== 'tool' || !test || answered !== test.id || record.call !== test.call) continue;
      const hasFailed = record.isError === true || (exitCodeIn(textOf(content)) ?? 0) !== 0;
      const { text } = test.step;
      return [
        ...steps,
        { ...test.step, text: hasFailed ? t`${text}: failed` : t`${text}: no failure is told` },
      ];
    }
  }
  return test ? [...steps, { ...test.step, text: t`${test.step.text}: no result is told` }] : steps;
}

/** The first call of a message that runs tests. */
function testIn(record: MessageRecord, position: number) {
  for (const { id, name, input } of callsOf({ ...record.message })) {
    const { kind, script, headline } = deedOf(name, input);
    const command = script ?? headline;
    if (kind === 'command' && TEST.test(command.slice(0, MAX_COMMAND)))
      return {
        id,
        call: record.call,
        step: { kind: 'tested', position, text: singleLine(command) } as const,
      };
  }
  return undefined;
}
