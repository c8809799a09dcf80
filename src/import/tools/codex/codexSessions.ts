import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { fields, list, text } from '../../reading/fields.js';
import { CodexRollout, ENVELOPES, type Spawned } from './codexRollout.js';
import { RolloutAhead, nameOf } from './rolloutAhead.js';
import {
  byThread,
  fileBeside,
  filesOfThread,
  inheritedEntries,
  mainFile,
  usedBefore,
  type RolloutFile,
} from './threadFiles.js';
import {
  most,
  type StreamedFormat,
  type FormatReader,
  type SidecarEntries,
} from '../../building/transcriptFormat.js';
import type { Entries } from '../../reading/entries.js';

/** The id of a thread in the name of its rollout. */
const THREAD = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** A subagent's rollout that is being written. */
interface Growing {
  readonly ahead: RolloutAhead;
  readonly rollout: CodexRollout;
  /** What its parent said of its start when it was begun. */
  readonly spawned: Spawned | undefined;
  hasSettled: boolean;
}

/** The call of a subagent's rollout in that of the one which started it. */
function dispatchOf(
  builder: ConversationBuilder,
  parent: CodexRollout,
  ahead: RolloutAhead,
  spawned = parent.spawned.get(ahead.thread),
) {
  return builder.dispatch(parent.place, spawned?.agent ?? nameOf(ahead.meta), {
    task: spawned?.task,
    toolCallId: spawned?.toolCallId,
    time: spawned?.time,
  });
}

/** The rollouts of a session's subagents while they are written: each is read on from where it was read. */
class GrowingRollouts {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  /** Those that were begun, that of the session itself first. */
  readonly #begun: CodexRollout[];
  /** By the names of their files. */
  readonly #growing = new Map<string, Growing>();
  #isVoid = false;

  constructor(root: CodexRollout, sink: ImportSink) {
    this.#begun = [root];
    this.#sink = sink;
    this.#builder = root.builder;
  }

  /** Whether what was read of them stands elsewhere, or says something else, now that more is known. */
  get isVoid(): boolean {
    this.#isVoid ||= [...this.#growing.values()].some(
      ({ ahead, spawned }) => !spawned && this.#begun.some((each) => each.spawned.has(ahead.thread)),
    );
    return this.#isVoid;
  }

  /** Whether nobody has said yet which call started a subagent, by the name of its rollout. */
  awaits(name: string): boolean {
    const [, thread = ''] = THREAD.exec(name) ?? [];
    return !this.#growing.has(name) && !this.#begun.some(({ spawned }) => spawned.has(thread));
  }

  /**
   * Reads what a rollout has gained: behind the call that started it, or at the end where others were given that stand behind
   * that.
   */
  take(name: string, entries: Entries, isGiven: boolean): void {
    const known = this.#growing.get(name);
    const readAssumptions = known?.ahead.readAssumptions;
    const ahead = known?.ahead ?? new RolloutAhead();
    for (const { value } of entries) ahead.look(value);
    if (!known && isGiven) ahead.assumeItems();
    const from = this.#builder.length;
    const growing = known ?? this.#begin(ahead);
    this.#isVoid ||=
      !growing ||
      growing.hasSettled ||
      (readAssumptions !== undefined && readAssumptions !== ahead.readAssumptions);
    if (!growing || this.#isVoid) return;
    this.#growing.set(name, growing);
    this.#isVoid ||= !growing.rollout.readOn(entries, (entry) => this.#sink.repeats(entry));
    this.#place(growing, from, isGiven);
  }

  /** Tells what waited in them for more. */
  settle(isGiven: boolean): void {
    for (const growing of this.#growing.values()) {
      const from = this.#builder.length;
      growing.hasSettled ||= growing.rollout.settle();
      this.#isVoid ||= growing.ahead.isWronglyAssumed;
      this.#place(growing, from, isGiven);
    }
  }

  #place({ spawned }: Growing, from: number, isGiven: boolean): void {
    if (spawned && !isGiven) this.#builder.moveBehind(spawned.behind, from);
  }

  /** Undefined where it has no place: nobody who was begun started it, or it was begun under another name. */
  #begin(ahead: RolloutAhead): Growing | undefined {
    const { thread, parent: startedBy } = ahead;
    const parent = this.#begun.find((each) => startedBy === each.thread || each.spawned.has(thread));
    const isKnown = thread !== '' && this.#begun.some((each) => each.thread === thread);
    if (!parent || isKnown) return undefined;
    const spawned = parent.spawned.get(thread);
    const callSite = dispatchOf(this.#builder, parent, ahead, spawned);
    const parts = { sink: this.#sink, builder: this.#builder };
    const rollout = new CodexRollout({ ahead, ...parts, place: callSite, before: parent });
    this.#begun.push(rollout);
    return { ahead, rollout, spawned, hasSettled: false };
  }
}

/**
 * Codex's rollouts: JSONL of Responses items in envelopes, and events that repeat part of them. The rollouts of
 * subagents, in files of their own, are nested in the calls that started them.
 */
export const codexSessions: StreamedFormat = {
  name: 'codex',
  of: 'Codex',
  files:
    'rollouts (`.jsonl`, `.jsonl.zst`) with the further ones of their thread, those before a fork and those of their subagents',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) =>
    isSessionMeta(head[0]) ||
    isBareHeader(head[0], head[1] ?? head[0]) ||
    isWhole(head[0]) ||
    (head.length > 0 && most(head, isEnvelope)),
  begin: (sink, sidecars) => new CodexReader(sink, sidecars),
};

/** Reads a rollout: first what its lines say of the whole, then the lines, then the rollouts of its subagents. */
class CodexReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #sidecars: readonly SidecarEntries[];
  readonly #ahead = new RolloutAhead();
  #root: CodexRollout | undefined;
  #builder: ConversationBuilder | undefined;
  #growing: GrowingRollouts | undefined;
  #hasSettled = false;
  #wentOn = false;
  /** The rollout and all beside it, those of these that are no part of it, and those of its thread that stand behind it. */
  #all: readonly RolloutFile[] = [];
  #files: readonly RolloutFile[] = [];
  #further: readonly RolloutFile[] = [];

  constructor(sink: ImportSink, sidecars: readonly SidecarEntries[]) {
    this.#sink = sink;
    this.#sidecars = sidecars;
  }

  look(entry: Entry): void {
    for (const { value } of unpacked(entry)) this.#ahead.look(value);
  }

  get readAssumptions(): string {
    return `${this.#ahead.readAssumptions} ${this.#wentOn}`;
  }

  /** Reads what this session goes on from: what it was forked from, and earlier files of its thread. */
  looked(): void {
    const main = mainFile(this.#sink.name, this.#ahead);
    const beside = this.#sidecars.map(fileBeside);
    const own = beside.filter(
      ({ thread, rollout }) => thread !== '' && thread === main.thread && rollout !== main.rollout,
    );
    const tell = (problem: string) => this.#sink.problem('warning', problem);
    const { inherited, parts } = filesOfThread([main, ...own], beside, tell);
    const isUsed = new Set([...parts, ...inherited.map(({ file }) => file)]);
    this.#files = beside.filter((file) => !isUsed.has(file));
    this.#further = parts.slice(parts.indexOf(main) + 1);
    this.#all = [main, ...beside];
    const root = this.#begun();
    const { parent } = this.#ahead;
    const isRing = parent !== undefined && this.#files.some(({ thread }) => thread === parent);
    if (isRing && this.#builder) this.#builder.rings++;
    for (const each of inherited) {
      root.continueWith(each.file.ahead, { isInherited: true });
      for (const entry of inheritedEntries(each, this.#sink)) root.addEntry(entry);
    }
    for (const part of parts.slice(0, parts.indexOf(main))) this.#readPart(root, part);
    if (this.#ahead.base) this.#continue(root, this.#ahead);
  }

  #readPart(root: CodexRollout, { ahead, beside }: RolloutFile): void {
    this.#continue(root, ahead);
    for (const entry of this.#sink.taking(beside?.entries ?? [])) root.addEntry(entry);
  }

  #continue(root: CodexRollout, ahead: RolloutAhead): void {
    root.continueWith(ahead, { used: usedBefore(ahead.base, this.#all) });
  }

  take(entry: Entry): void {
    this.#wentOn ||= this.#hasSettled;
    const root = this.#begun();
    for (const { value } of unpacked(entry)) root.add(value);
  }

  /** Reasoning that no message has followed is told; what comes then may be its message, and so all is read anew. */
  settle(isGiven: boolean): void {
    this.#hasSettled ||= this.#begun().settle();
    this.#growing?.settle(isGiven);
  }

  // Further files of its thread stand behind one that may be read on, as those do that it was forked from before it.
  readonly growingSidecars = /^rollout-[^/_]+\.jsonl$/;

  get mustBeReadWhole(): boolean {
    return this.#growing?.isVoid === true || (this.#ahead.base !== undefined && this.#all.length === 0);
  }

  awaitsSidecar(name: string): boolean {
    return this.#growingSidecars().awaits(name);
  }

  takeSidecars([file]: readonly SidecarEntries[], isGiven: boolean): void {
    if (file) this.#growingSidecars().take(file.name, file.entries, isGiven);
  }

  #growingSidecars(): GrowingRollouts {
    return (this.#growing ??= new GrowingRollouts(this.#begun(), this.#sink));
  }

  end(): void {
    const root = this.#begun();
    for (const part of this.#further) this.#readPart(root, part);
    root.settle();
    if (this.#builder) readSubagents(root, this.#files, this.#sink, this.#builder);
  }

  #begun(): CodexRollout {
    if (this.#root) return this.#root;
    const { meta } = this.#ahead;
    const builder = this.#sink.conversation(meta.id ?? meta.session_id, text(meta.agent_nickname) ?? 'Codex');
    this.#builder = builder;
    const first = this.#all.find(
      ({ thread, ahead }) => thread === this.#ahead.thread && ahead.forkedFrom !== undefined,
    );
    const { forkedFrom } = first?.ahead ?? this.#ahead;
    if (forkedFrom !== undefined) builder.facts.set('Forked from', forkedFrom);
    return (this.#root = new CodexRollout({
      ahead: this.#ahead,
      sink: this.#sink,
      builder,
      place: builder.entry,
    }));
  }
}

/** Reads the rollouts of subagents: those that the root started, then those that these started. Others are reported. */
function readSubagents(
  root: CodexRollout,
  files: readonly RolloutFile[],
  sink: ImportSink,
  builder: ConversationBuilder,
): void {
  const waiting = new Set(byThread(files).map((own) => filesOfThread(own, files, NOT_TOLD).parts));
  const threads = new Set([root.thread]);
  const read = [root];
  for (const parent of read) {
    for (const parts of waiting) {
      const [first] = parts;
      const { thread = '', ahead } = first ?? {};
      if (!ahead || (thread !== '' && threads.has(thread))) continue;
      if (ahead.parent !== parent.thread && !parent.spawned.has(thread)) continue;
      waiting.delete(parts);
      threads.add(thread);
      const spawned = parent.spawned.get(thread);
      const from = builder.length;
      const callSite = dispatchOf(builder, parent, ahead, spawned);
      const child = new CodexRollout({ ahead, sink, builder, place: callSite, before: parent });
      for (const each of parts) {
        if (each.ahead.base) child.continueWith(each.ahead, { used: usedBefore(each.ahead.base, files) });
        if (each.beside) child.readOn(each.beside.entries, () => undefined);
      }
      child.settle();
      if (spawned) builder.moveBehind(spawned.behind, from);
      read.push(child);
    }
  }
  if (waiting.size === 0) return;
  const names = [...waiting].flat().flatMap(({ beside }) => beside?.name ?? []);
  for (const name of names) sink.leaveOut(name);
  sink.problem(
    'warning',
    `Not read, because nothing in this session began them: ${names.slice(0, 3).join(', ')} (${names.length}).`,
  );
}

/** What is missing before a subagent's rollout was said by those that started it. */
const NOT_TOLD = () => undefined;

function isEnvelope(value: unknown): boolean {
  return (
    isObject(value) && typeof value.type === 'string' && ENVELOPES.has(value.type) && isObject(value.payload)
  );
}

/** Whether a file begins like the first versions of rollouts: a header, then items without an envelope. */
function isBareHeader(value: unknown, next: unknown): boolean {
  const header = fields(value);
  const { record_type, type, role } = fields(next);
  const isHeader =
    ['id', 'timestamp'].every((key) => typeof header[key] === 'string') && 'instructions' in header;
  return (
    isHeader &&
    !('type' in header) &&
    (record_type === 'state' || typeof type === 'string' || typeof role === 'string')
  );
}

/** Whether a value is a whole rollout of the first versions: a session and its items. */
function isWhole(value: unknown): boolean {
  const { session, items } = fields(value);
  return typeof fields(session).id === 'string' && 'instructions' in fields(session) && Array.isArray(items);
}

/** The lines of a rollout, of a whole one in the order in which they would stand. */
function unpacked(entry: Entry): readonly Entry[] {
  if (!isWhole(entry.value)) return [entry];
  const { session, items, ...rest } = fields(entry.value);
  const beside = Object.keys(rest).length > 0 ? [{ value: rest }] : [];
  return [{ value: session }, ...beside, ...list(items).map((value) => ({ value }))];
}

function isSessionMeta(value: unknown): boolean {
  return isEnvelope(value) && fields(value).type === 'session_meta' && 'id' in fields(fields(value).payload);
}
