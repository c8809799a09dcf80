import { knownAmount, provenanceOf } from '../core/cost.js';
import { inDollars } from '../core/money.js';
import type { CatalogEntry, ReadRecord } from '../core/ports/transcript.js';
import type { FactCall } from '../query/numbers/facts.js';
import { callsOf } from '../query/numbers/toolCalls.js';
import { IdentityGatherer, type SessionOrigin } from '../query/numbers/ownership.js';
import { messageIn } from '../query/numbers/transcriptItem.js';
import { programsOf } from '../query/language/programs.js';
import { SessionFactsBuilder } from '../query/language/sessionFactsBuilder.js';
import { textsOf, type MarkedPrices } from '../search/columns/readSession.js';
import { isPlainLine } from '../search/bytes/rawText.js';
import { entryOf } from '../store/catalog/conversationSummary.js';
import { LineIndex } from '../store/read/lineIndex.js';
import { GramFilterBuilder } from '../search/stored/columns/gramFilter.js';
import { encodeSearchFile } from '../search/stored/columns/searchFile.js';
import { columnsOf } from '../search/stored/columns/sessionColumns.js';
import { columnList, columnNumber, columnText, columnTextOr, foldedName } from './archiveText.js';
import type { ArchivedLine } from './recordLines.js';

/** What is known of a conversation besides its records, as it is told to the archive. */
export interface ReportedFacts {
  readonly title: string;
  readonly source?: string | undefined;
  readonly project?: string | undefined;
  /** The id that its tool gave it. */
  readonly session?: string | undefined;
}

/** A record as the columns of the archive have it; see docs/archive.md. */
export interface RecordColumns {
  readonly seq: number | null;
  readonly id: string;
  readonly type: string;
  readonly role: string | null;
  readonly agent: string | null;
  readonly run: string | null;
  readonly call: string | null;
  readonly parentCall: string | null;
  readonly depth: number | null;
  readonly time: number | null;
  readonly tools: string | null;
  readonly model: string | null;
  readonly isError: boolean;
  readonly duration: number | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly cost: number | null;
  readonly costKnown: string | null;
  readonly files: string | null;
  readonly programs: string | null;
  readonly isOdd: boolean;
}

/** What a conversation comes to, for lists and for questions. */
export interface ConversationSummary {
  readonly entry: CatalogEntry;
  readonly beganAt: number | null;
  readonly endedAt: number | null;
  /** In lower case; null where these are too many to be listed. */
  readonly agents: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly roles: readonly string[] | null;
  readonly hasError: boolean;
  /** What questions are answered by, and what besides where these ask for texts; see `encodeSearchFile`. */
  readonly facts: Buffer;
  readonly grams: Buffer;
}

/** More names of a kind are not listed; more lines that are not plain, too. */
const MAX_NAMES = 1_000;

/** Goes through a conversation record by record: what the columns of each say, and what all of it comes to. */
export class ConversationFold {
  readonly #builder: SessionFactsBuilder;
  readonly #mark: string;
  readonly #grams = new GramFilterBuilder();
  readonly #identities: IdentityGatherer | undefined;
  readonly #odd: number[] = [];
  readonly #names = {
    agents: new Set<string>(),
    tools: new Set<string>(),
    models: new Set<string>(),
    roles: new Set<string>(),
  };
  #bytes = 0;
  #length = 0;
  #hasError = false;
  #began = Infinity;
  #ended = -Infinity;

  /** `origin`: left out where it was recorded here, so that nobody else tells of it. */
  constructor({ prices, mark }: MarkedPrices, origin?: SessionOrigin) {
    this.#builder = new SessionFactsBuilder(prices);
    this.#mark = mark;
    this.#identities = origin && new IdentityGatherer(origin);
  }

  /** How many records it has gone through. */
  get length(): number {
    return this.#length;
  }

  /** Takes the next record. */
  add({ record, whole, line, texts }: ArchivedLine): RecordColumns {
    const { facts, known } = this.#builder.add(record);
    this.#identities?.add(record);
    this.#grams.add(textsOf(whole));
    const isOdd = !isPlainLine(line);
    if (isOdd && this.#odd.length <= MAX_NAMES) this.#odd.push(this.#length);
    this.#length++;
    this.#bytes += texts.reduce((sum, { bytes }) => sum + bytes.length, line.length + 1);
    const { agents, tools, models, roles } = this.#names;
    for (const [names, value] of [
      [agents, known.agent],
      [models, known.model],
      [roles, known.role],
    ] as const)
      if (value !== undefined && names.size <= MAX_NAMES) names.add(foldedName(value));
    for (const tool of known.tools) if (tools.size <= MAX_NAMES) tools.add(foldedName(tool));
    for (const { name } of facts.calls) if (tools.size <= MAX_NAMES) tools.add(foldedName(name));
    this.#hasError ||= known.isError;
    if (known.beganAt !== undefined) {
      this.#began = Math.min(this.#began, known.beganAt);
      this.#ended = Math.max(this.#ended, known.beganAt);
    }
    const { place, calls } = facts;
    const { tokens, cost } = known;
    // One plain literal, because this is made for every record.
    return {
      seq: columnNumber(record.seq),
      id: columnText(record.id),
      type: columnText(record.type),
      role: columnTextOr(known.role),
      agent: columnTextOr(known.agent),
      run: columnTextOr(known.runId),
      call: columnTextOr(known.callId),
      parentCall: columnTextOr(place.parentCall),
      depth: columnNumber(known.depth),
      time: columnNumber(known.beganAt),
      tools: columnList(known.tools),
      model: columnTextOr(known.model),
      isError: known.isError,
      duration: columnNumber(known.durationMs),
      input: columnNumber(tokens?.input),
      output: columnNumber(tokens?.output),
      cost: cost ? columnNumber(inDollars(knownAmount(cost))) : null,
      costKnown: (cost && provenanceOf(cost)) ?? null,
      files: columnList(filesIn(calls)),
      programs: columnList(programsIn(record)),
      isOdd,
    };
  }

  /** What all records so far come to. `damaged`: how many places of the conversation cannot be read. */
  summary(
    conversation: string,
    { title, source, project, session }: ReportedFacts,
    damaged: number,
  ): ConversationSummary {
    const given = title === '' ? undefined : title;
    const facts = this.#builder.finish({ session: conversation, title: given, source, project });
    const origin =
      source === undefined
        ? undefined
        : {
            tool: source,
            session: session ?? conversation,
            title,
            ...(project !== undefined && { project }),
          };
    const entry = entryOf(
      { ...this.#builder.summary, spilled: 0 },
      {
        conversation,
        damaged,
        bytes: this.#bytes,
        live: false,
        source: origin,
      },
    );
    const columns = columnsOf(facts, new LineIndex(), {
      source: source ?? null,
      project: project ?? null,
      toolSession: session ?? null,
      isOpen: this.#builder.isOpen,
      damaged,
      identities: this.#identities?.columns(),
      odd: this.#odd.length > MAX_NAMES ? null : [...this.#odd],
      prices: this.#mark,
      blocks: this.#grams.blocks(),
    });
    const { agents, tools, models, roles } = this.#names;
    return {
      entry: { ...entry, title: title === '' ? entry.title : title },
      beganAt: Number.isFinite(this.#began) ? this.#began : null,
      endedAt: Number.isFinite(this.#ended) ? this.#ended : null,
      agents: listed(agents),
      tools: listed(tools),
      models: listed(models),
      roles: listed(roles),
      hasError: this.#hasError,
      facts: encodeSearchFile({ stamps: [], columns: { ...columns, blocks: [] } }),
      grams: encodeSearchFile({
        stamps: [],
        columns: { ...columns, recordKinds: [], spans: Buffer.alloc(0), columns: {} },
      }),
    };
  }
}

function listed(names: ReadonlySet<string>): readonly string[] | null {
  return names.size > MAX_NAMES ? null : [...names];
}

function filesIn(calls: readonly FactCall[]): Iterable<string> {
  return calls.length === 0 ? [] : new Set(calls.flatMap(({ files }) => files.map(({ path }) => path)));
}

function programsIn(record: ReadRecord): ReadonlySet<string> {
  const message = messageIn(record);
  const programs = new Set<string>();
  if (message)
    for (const { input } of callsOf(message)) for (const program of programsOf(input)) programs.add(program);
  return programs;
}
