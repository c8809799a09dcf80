import { canonicalJson } from '../core/canonicalJson.js';
import { isAllInjected, ownTextOf } from '../core/injected.js';
import type { Cost } from '../core/cost.js';
import { withoutHalfAtEnd } from '../core/halves.js';
import { appendAll } from '../core/lists.js';
import { isObject, textOf } from '../core/message.js';
import type { Prices } from '../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../core/ports/transcript.js';
import { firstCodePoints, singleLine } from '../core/text.js';
import type { CallNode } from '../query/numbers/callTree.js';
import { countRun, NO_RUNS } from '../query/numbers/runCount.js';
import { factsOf } from '../query/numbers/facts.js';
import { readTotals, type SessionTotals } from '../query/numbers/sessionTotals.js';
import {
  argumentsOf,
  callsOf,
  rawArgumentsOf,
  resultNameOf,
  type MadeCall,
} from '../query/numbers/toolCalls.js';
import type { TokenCount } from '../query/numbers/tokens.js';
import { envelopeOf, idOf, messageIn } from '../query/numbers/transcriptItem.js';
import { hasFailed, type Reading } from '../query/numbers/transcriptReader.js';
import { keyOfText, Normaliser, type Rule } from './normal.js';

/** What an agent does in a run: it is asked, answers, calls a tool, dispatches an agent, or fails. */
export const STEP_KINDS = ['prompt', 'answer', 'call', 'agent', 'error'] as const;
/** See `STEP_KINDS`. */
export type StepKind = (typeof STEP_KINDS)[number];

/** A step of a run, and what it is compared by. */
export interface Step {
  /** In the order of the run, from 1, the steps of dispatched agents included. */
  readonly number: number;
  readonly kind: StepKind;
  /** The tool, the dispatched agent or the code of the error; '' for words. */
  readonly name: string;
  /** Who did it. */
  readonly agent: string;
  /** Of the record with it, and of its result's. */
  readonly position: number;
  readonly resultPosition: number | undefined;
  /** What it is about, on one line: a file, a command, the beginning of words. */
  readonly about: string;
  /** What it does with the file that it is about. */
  readonly use: 'read' | 'written' | undefined;
  /** How a call ended: `done`, or what else became of it. */
  readonly end: string;
  /** What was said beside it. */
  readonly said: string;
  /** Of its arguments or words, and of its result, normalised; of long ones the beginning. */
  readonly inputText: string;
  readonly outputText: string;
  readonly tookMs: number | undefined;
  /** The same for calls that one message makes together. */
  readonly group: number | undefined;
  /** Equal for steps of equal kind and name, for equal input, for equal output. */
  readonly shape: string;
  readonly input: string;
  readonly output: string;
  /** Equal for steps that are alike in all, with what is below; and how many steps it is with these. */
  readonly key: string;
  readonly size: number;
  /** What the dispatched agent did. */
  readonly below: readonly Step[];
}

/** Whether a step calls a tool, or an agent. */
export function isCall({ kind }: Pick<Step, 'kind'>): boolean {
  return kind === 'call' || kind === 'agent';
}

/** How a run ended, for programs. */
export type RunEnd = 'done' | 'failed' | 'cancelled' | 'limited' | 'open' | 'unknown';

/** What an agent is given. */
export interface Given {
  readonly systemPrompt: string;
  readonly tools: readonly string[];
  /** How these tools were described to it, by their names, as far as that is recorded. */
  readonly described: ReadonlyMap<string, string>;
}

/** What went into a run before its first step. */
export interface Inputs extends Given {
  /** What the agents are given that were dispatched, by their names, when they are so for the first time. */
  readonly below: ReadonlyMap<string, Given>;
  readonly models: readonly string[];
  readonly agent: string;
  readonly prompt: string;
}

/** A score that the source of a run tells. */
export interface Score {
  readonly name: string;
  readonly value: string;
  /** Whether it says that the task was solved; undefined where it does not say it. */
  readonly passed: boolean | undefined;
}

/** What a run came to, by the definitions of every other view. */
export interface RunTotals {
  readonly steps: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly errors: number;
  readonly tokens: TokenCount;
  readonly cost: Cost;
  readonly durationMs: number;
  /** How long models and tools were at work, and how long a person was waited for; undefined where nothing tells it. */
  readonly modelMs: number | undefined;
  readonly toolMs: number | undefined;
  readonly waitedMs: number;
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[];
  readonly files: readonly { readonly path: string; readonly read: boolean; readonly written: boolean }[];
}

/** A run as it is compared. */
export interface Run {
  readonly steps: readonly Step[];
  readonly inputs: Inputs;
  readonly totals: RunTotals;
  readonly end: RunEnd;
  readonly scores: readonly Score[];
  /** The task that its source names, where several runs are of one. */
  readonly task: string;
  /** What was left out or replaced before comparing, by the rule that did it. */
  readonly normalised: Readonly<Partial<Record<Rule, number>>>;
  /** How many places of its source cannot be read: what is missing there may be what differs. */
  readonly damaged: number;
}

/** Records with all of their texts, and how many places among them could not be read so far. */
export type RunSource = Pick<Transcript, 'length' | 'read'> & { damage?(): number };

/** A part of a transcript: from `from` up to, not including, `to`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** How a run is read. */
export interface ReadRunOptions {
  readonly prices: Prices;
  readonly signal: AbortSignal;
  /** What is replaced before steps are compared. */
  readonly rules: ReadonlySet<Rule>;
  /** What is read of the transcript, see `runStretches`; all of it where it is left out. */
  readonly part?: Stretch | undefined;
}

/** Further agents are listed with the steps of the last one. */
const MAX_DEPTH = 20;
/** So much of a text is kept to be shown, in code points. */
const KEPT = { input: 2_000, output: 300, said: 300 } as const;
const ABOUT = 80;
/** How many records are read at once. */
const PAGE = 500;

type Building = { -readonly [K in keyof Step]: Step[K] } & { below: Building[]; made?: MadeCall };

/** Reads a run as steps. Rejects with the signal's reason. */
export async function readRun(transcript: RunSource, options: ReadRunOptions): Promise<Run> {
  const { prices, signal, rules, part = { from: 0, to: transcript.length } } = options;
  const { from, to } = part;
  const reader = new StepReader(new Normaliser(rules), from);
  const read = (start: number, end: number) => transcript.read(from + start, Math.min(to, from + end));
  const totals = await readTotals({ length: to - from, read }, prices, signal, (reading, _cost, record) =>
    reader.add(reading, record),
  );
  return { ...reader.finish(totals), damaged: transcript.damage?.() ?? 0 };
}

/** The runs of a transcript, see `countRun`; what stands before the first is part of it. */
export async function runStretches(
  transcript: Pick<Transcript, 'length' | 'read'>,
  signal: AbortSignal,
): Promise<readonly Stretch[]> {
  const starts: number[] = [];
  const counted = { ...NO_RUNS };
  const { length } = transcript;
  for (let from = 0; from < length; from += PAGE) {
    signal.throwIfAborted();
    for (const [at, record] of (await transcript.read(from, Math.min(from + PAGE, length))).entries()) {
      const { type, place, role, isAbsorbed } = factsOf(record);
      if (countRun(counted, { type, depth: place.depth, role, isAbsorbed })) starts.push(from + at);
    }
  }
  return starts.map((start, at) => ({ from: at === 0 ? 0 : start, to: starts[at + 1] ?? length }));
}

interface GivenSoFar {
  systemPrompt: string;
  tools: readonly string[];
  readonly described: Map<string, string>;
}

/** Makes steps of the records of a run, in order. */
class StepReader {
  readonly #normal: Normaliser;
  readonly #from: number;
  readonly #lists = new Map<CallNode, Building[]>();
  readonly #byCall = new Map<MadeCall, Building>();
  readonly #calls: CallNode[] = [];
  readonly #models = new Set<string>();
  readonly #scores: Score[] = [];
  readonly #given = new Map<CallNode, GivenSoFar>();
  /** What the run told last of a tool of each name: a call tells only what is new. */
  readonly #described = new Map<string, string>();
  #entry: CallNode | undefined;
  #prompt: string | undefined;
  #taskName = '';
  /** The number of the task in its set. */
  #sample = '';
  #modelMs: number | undefined;
  #isOpen = false;

  constructor(normal: Normaliser, from: number) {
    this.#normal = normal;
    this.#from = from;
  }

  add(reading: Reading, record: ReadRecord): void {
    const { facts, call } = reading;
    if (!this.#lists.has(call)) {
      this.#lists.set(call, []);
      this.#calls.push(call);
    }
    const { type, role } = facts;
    if (facts.model !== '' && (role === 'assistant' || type === 'request' || type === 'callStart'))
      this.#models.add(facts.model);
    if (type === 'request' && facts.durationMs !== undefined)
      this.#modelMs = (this.#modelMs ?? 0) + facts.durationMs;
    if (role !== undefined) this.#message(reading, record);
    else if (type === 'callStart') this.#begin(reading, record);
    else if (type === 'error') this.#error(reading, record);
    else if (type === 'imported') this.#facts(record);
  }

  #begin({ call }: Reading, record: ReadRecord): void {
    if (call.parent === undefined) this.#isOpen = true;
    const { tools, schemas } = record as { readonly tools?: unknown; readonly schemas?: unknown };
    const given = this.#givenTo(call);
    if (given.tools.length === 0 && Array.isArray(tools))
      given.tools = tools.filter((each) => typeof each === 'string').sort();
    for (const schema of Array.isArray(schemas) ? (schemas as unknown[]) : []) {
      if (!isObject(schema) || typeof schema.name !== 'string') continue;
      const { name, description, parameters } = schema;
      this.#described.set(name, canonicalJson({ description, parameters }));
    }
    for (const name of given.tools) {
      const told = this.#described.get(name);
      if (told !== undefined && !given.described.has(name)) given.described.set(name, told);
    }
  }

  /** What a call is given; runs that follow each other are as one. */
  #givenTo(call: CallNode): GivenSoFar {
    const own = call.parent === undefined ? (this.#entry ??= call) : call;
    const known = this.#given.get(own) ?? {
      systemPrompt: '',
      tools: [],
      described: new Map<string, string>(),
    };
    this.#given.set(own, known);
    return known;
  }

  /** What an import keeps of an evaluation: how a run was scored, and of which task it is. */
  #facts(record: ReadRecord): void {
    const { kind, value } = record as { readonly kind?: unknown; readonly value?: unknown };
    if (!isObject(value)) return;
    if (kind === 'facts') {
      for (const [name, told] of Object.entries(value)) {
        if (typeof told !== 'string') continue;
        if (name === 'Task') this.#taskName = told;
        if (isScore(name)) this.#score(name, told);
      }
      return;
    }
    if (kind === 'sample') this.#sample ||= idOf(value.id);
    if (kind !== 'conversation' && kind !== 'runs') return;
    this.#sample ||= idOf(value.task_id) || idOf(value.instance_id);
    if (typeof value.reward === 'number') this.#score('Reward', rounded(value.reward));
    if (typeof value.resolved === 'boolean') this.#score('Resolved', value.resolved ? 'yes' : 'no');
    const { exit_status: status } = isObject(value.info) ? value.info : {};
    if (typeof status === 'string') this.#score('Exit status', status);
  }

  #score(name: string, value: string): void {
    if (this.#scores.some((score) => score.name === name)) return;
    const passed = name === 'Exit status' ? undefined : passes(value);
    this.#scores.push({ name, value: firstCodePoints(value, 200), passed });
  }

  #message(reading: Reading, record: ReadRecord): void {
    const { facts, call } = reading;
    const message = messageIn(record) ?? {};
    this.#normal.learn(textOf(message.content));
    switch (facts.role) {
      case 'system':
      case 'developer':
        if (call.parent === undefined ? this.#prompt === undefined : !this.#lists.get(call)?.length) {
          const given = this.#givenTo(call);
          given.systemPrompt += `${given.systemPrompt === '' ? '' : '\n\n'}${textOf(message.content)}`;
        }
        break;
      case 'tool':
        this.#result(reading, record);
        break;
      case 'assistant':
        this.#assistant(reading, record);
        break;
      default: {
        if (this.#normal.has('injected') && isAllInjected(record)) {
          this.#normal.count('injected');
          break;
        }
        const text = this.#normal.has('injected') ? ownTextOf(record) : textOf(message.content);
        if (call.parent === undefined) this.#prompt ??= text;
        this.#words(reading, 'prompt', text);
      }
    }
  }

  #assistant(reading: Reading, record: ReadRecord): void {
    const message = messageIn(record) ?? {};
    const text = textOf(message.content);
    const calls = callsOf(message);
    if (calls.length === 0) {
      if (text.trim() !== '' || reading.facts.isFailure) this.#words(reading, 'answer', text);
      return;
    }
    for (const [at, { name, input }] of calls.entries()) {
      const made = reading.made[at];
      const step = this.#step(reading, 'call', name);
      step.group = calls.length > 1 ? reading.position : undefined;
      step.said = at === 0 ? firstCodePoints(text.trim(), KEPT.said) : '';
      const args = argumentsOf(input);
      const written = Object.keys(args).length > 0 ? canonicalJson(args) : rawArgumentsOf(input);
      this.#normal.learn(written);
      this.#give(step, 'input', written);
      const [file] = reading.facts.calls[at]?.files ?? [];
      step.use = file && file.use !== 'named' ? file.use : undefined;
      step.about = oneLine(file?.path ?? firstText(args) ?? (written === '{}' ? '' : written));
      if (made) {
        step.made = made;
        this.#byCall.set(made, step);
      }
    }
  }

  #result(reading: Reading, record: ReadRecord): void {
    const { result, position, facts } = reading;
    const message = messageIn(record) ?? {};
    const known = result?.made && this.#byCall.get(result.made);
    const step =
      known ?? this.#step(reading, 'call', result?.tool ?? resultNameOf(message, envelopeOf(record)));
    if (!known) step.end = facts.isFailure ? 'failed' : 'done';
    step.resultPosition = this.#from + position;
    step.tookMs = result?.tookMs;
    this.#give(step, 'output', textOf(message.content));
  }

  #error(reading: Reading, record: ReadRecord): void {
    const { error } = record as { readonly error?: unknown };
    const { code, message } = isObject(error) ? error : {};
    const step = this.#step(reading, 'error', typeof code === 'string' ? code : '');
    const words = typeof message === 'string' ? message : '';
    step.about = oneLine(words);
    this.#give(step, 'input', words);
  }

  #words(reading: Reading, kind: 'prompt' | 'answer', text: string): void {
    const step = this.#step(reading, kind, '');
    step.about = oneLine(text);
    step.end = reading.facts.isFailure ? 'failed' : 'done';
    // What is asked changes what comes; an answer is what came.
    this.#give(step, kind === 'prompt' ? 'input' : 'output', text);
  }

  #give(step: Building, field: 'input' | 'output', text: string): void {
    const normal = this.#normal.text(text, step.kind === 'call' && field === 'output' ? 'tool' : 'model');
    step[field] = keyOfText(normal);
    step[`${field}Text`] = firstCodePoints(normal, step.kind === 'answer' ? KEPT.input : KEPT[field]);
  }

  #step({ position, call, facts }: Reading, kind: StepKind, name: string): Building {
    const step: Building = {
      number: 0,
      kind,
      name,
      agent: facts.place.agent ?? '',
      position: this.#from + position,
      resultPosition: undefined,
      about: '',
      use: undefined,
      end: 'done',
      said: '',
      inputText: '',
      outputText: '',
      tookMs: undefined,
      group: undefined,
      shape: '',
      input: '',
      output: '',
      key: '',
      size: 1,
      below: [],
    };
    this.#lists.get(call)?.push(step);
    return step;
  }

  finish(totals: SessionTotals): Omit<Run, 'damaged'> {
    const roots: Building[] = [];
    // What is deepest first: what is put into a list is where that list goes.
    for (const call of this.#calls.toSorted((a, b) => depthOf(b) - depthOf(a))) {
      const steps = this.#lists.get(call) ?? [];
      if (call.parent === undefined) appendAll(roots, steps);
      else this.#hang(call, steps, roots);
    }
    roots.sort((a, b) => a.position - b.position);
    const numbers = { next: 1 };
    const entries = this.#calls.filter(({ parent }) => parent === undefined);
    for (const step of roots) this.#seal(step, numbers, entries[0]?.agent ?? '');
    return {
      steps: roots,
      inputs: {
        systemPrompt: '',
        tools: [],
        described: new Map(),
        ...(this.#entry && this.#given.get(this.#entry)),
        below: this.#below(),
        models: [...this.#models].sort(),
        agent: entries[0]?.agent ?? '',
        prompt: this.#prompt ?? '',
      },
      totals: { steps: numbers.next - 1, modelMs: this.#modelMs, ...runTotals(totals) },
      end: endOf(entries, this.#isOpen),
      scores: this.#scores,
      task: [this.#taskName, this.#sample].filter((part) => part !== '').join(' '),
      normalised: this.#normal.counts,
    };
  }

  #below(): ReadonlyMap<string, Given> {
    const below = new Map<string, Given>();
    for (const [{ parent, agent }, given] of this.#given)
      if (parent !== undefined && !below.has(agent)) below.set(agent, given);
    return below;
  }

  /** What an agent did stands below the call that dispatched it; where none is known, below a step of its own. */
  #hang(call: CallNode, steps: Building[], roots: Building[]): void {
    let above = call.parent;
    let depth = depthOf(call);
    for (; depth > MAX_DEPTH && above?.parent; depth--) above = above.parent;
    const dispatcher = depth > MAX_DEPTH ? undefined : call.dispatcher && this.#byCall.get(call.dispatcher);
    if (dispatcher) {
      dispatcher.kind = 'agent';
      dispatcher.name = call.agent;
      dispatcher.tookMs ??= call.durationMs;
      // Whom it asked is told already.
      if (dispatcher.about === call.agent) dispatcher.about = steps[0]?.about ?? '';
      appendAll(dispatcher.below, steps);
      return;
    }
    // Of an agent that says nothing itself, what those did that it asked is as if its own asker had asked them.
    while (above && !this.#lists.has(above)) above = above.parent;
    const list = (above && this.#lists.get(above)) ?? roots;
    const [first] = steps;
    if (!first) return;
    const own: Building = { ...first, kind: 'agent', name: call.agent, about: first.about, below: steps };
    own.made = undefined as never;
    const behind = list.findIndex(({ position }) => position > this.#from + call.position);
    list.splice(behind < 0 ? list.length : behind, 0, own);
  }

  #seal(step: Building, numbers: { next: number }, agent: string): void {
    step.number = numbers.next++;
    const { made } = step;
    if (made) {
      step.end = callEnd(made);
      delete (step as { made?: MadeCall }).made;
    }
    // In the log of a group each speaker says its own.
    const speaker = step.agent === agent || step.kind === 'prompt' ? '' : ` by ${step.agent}`;
    step.shape = `${step.kind}${speaker} ${this.#normal.text(step.name, 'tool')}`;
    step.size = 1;
    for (const each of step.below) {
      this.#seal(each, numbers, step.kind === 'agent' ? step.name : agent);
      step.size += each.size;
    }
    const own = `${step.shape}\n${step.input}\n${step.output}\n${step.end}`;
    step.key =
      step.below.length === 0 ? own : keyOfText(`${own}\n(${step.below.map(({ key }) => key).join('\n')})`);
  }
}

/** How a call ended: `done`, or what else became of it. */
export function callEnd(made: MadeCall): string {
  return made.state === 'done' && hasFailed(made) ? 'failed' : made.state;
}

function depthOf({ parent }: CallNode): number {
  let depth = 0;
  for (let each = parent; each; each = each.parent) depth++;
  return depth;
}

/** What a run came to, as far as its totals tell it. */
export function runTotals({
  statistics,
  tools,
  files,
  durationMs,
}: SessionTotals): Omit<RunTotals, 'steps' | 'modelMs'> {
  const times = tools.map(({ total }) => total).filter((each) => each !== undefined);
  return {
    messages: statistics.messages,
    toolCalls: statistics.toolCalls,
    failedCalls: tools.reduce((sum, { failures }) => sum + failures, 0),
    errors: statistics.errors,
    tokens: statistics.tokens,
    cost: statistics.cost,
    durationMs,
    toolMs: times.length === 0 ? undefined : times.reduce((sum, each) => sum + each, 0),
    waitedMs: tools.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
    tools: tools.map(({ tool, calls, failures }) => ({ tool, calls, failed: failures })),
    files: files.map(({ path, uses }) => ({ path, read: uses.read > 0, written: uses.written > 0 })),
  };
}

/** How a run ended, by the last of its entry calls. */
export function endOf(entries: readonly CallNode[], isRecordedHere: boolean): RunEnd {
  const outcome = entries.at(-1)?.outcome;
  if (outcome === 'done' || outcome === 'failed' || outcome === 'cancelled' || outcome === 'limited')
    return outcome;
  return isRecordedHere ? 'open' : 'unknown';
}

function oneLine(text: string): string {
  const line = singleLine(withoutHalfAtEnd(text.slice(0, ABOUT * 8)));
  const start = firstCodePoints(line, ABOUT);
  return start.length < line.length ? `${start}…` : line;
}

/** The argument that says most: the first text. */
function firstText(args: Readonly<Record<string, unknown>>): string | undefined {
  return Object.values(args).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
}

/** Without what only the arithmetic of sums adds: 0.93 for 0.9299999999999999. */
function rounded(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** What sources call the score of a run, see `facts` of an import. */
function isScore(name: string): boolean {
  return /^(?:Score|Reward|Valid|Resolved|Passed)\b/.test(name);
}

/** Whether a score says that a task was solved, as Inspect, tau-bench and others write it. */
function passes(value: string): boolean | undefined {
  if (/^(?:C\b|true$|yes$|pass(?:ed)?$|resolved$|success)/i.test(value)) return true;
  if (/^(?:[IPN] \(|[IPN]$|false$|no$|fail(?:ed)?$|unresolved$)/i.test(value)) return false;
  return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) > 1 - 1e-6 : undefined;
}
