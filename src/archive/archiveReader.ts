import { isObject } from '../core/message.js';
import { t } from '../core/l10n.js';
import type { CatalogEntry } from '../core/ports/transcript.js';
import { couldMatch } from '../query/language/recordsOf.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { ColumnCache } from '../search/columns/columnCache.js';
import { ColumnFacts } from '../search/columns/columnFacts.js';
import { mayHold } from '../search/pruning.js';
import type { RawText } from '../search/bytes/rawText.js';
import { parseSearchFile } from '../search/stored/columns/searchFile.js';
import { bytesOfColumns, type SessionColumns } from '../search/stored/columns/sessionColumns.js';
import { RecordKindTable } from '../search/stored/columns/recordKinds.js';
import type { Parameter, Row } from './archiveConnection.js';
import { ArchivedTranscript, type Connected } from './archivedTranscript.js';
import { ArchiveError } from './archiveError.js';
import { archiveKey } from './archiveText.js';
import { candidateCondition } from './candidateConversations.js';

/** The facts of how many conversations are asked for at once. */
const FACTS_AT_ONCE = 200;

/** What is asked of each conversation, and in which order they are listed. */
const LISTED = `SELECT c.conversation, c.records, encode(c.about, 'base64') AS about, c.source, c.project, c.pushed_at,
s.records AS summed, s.began_ms, encode(s.entry, 'base64') AS entry FROM agent_logbook.conversations AS c LEFT JOIN agent_logbook.summaries AS s ON s.conversation = c.conversation`;
const NEWEST_FIRST = 'ORDER BY s.began_ms DESC NULLS LAST, c.conversation DESC';

/** A conversation in the archive, as it is listed. */
export interface ArchivedConversation {
  /** Its id, and the key by which the archive has it. */
  readonly id: string;
  readonly key: string;
  /** How many records of it are there. */
  readonly records: number;
  /** Whether the archive knows what all of these come to. */
  readonly isSummed: boolean;
  /** When its first record was made, in milliseconds since 1970; 0 where that is not known. */
  readonly beganAt: number;
  readonly entry: CatalogEntry;
  readonly source: string | undefined;
  readonly project: string | undefined;
  /** Is another where anything of it may have changed. */
  readonly stamp: string;
}

/** A conversation of a list, and its facts where the archive knows what all of its records come to. */
export interface CachedConversation {
  readonly conversation: ArchivedConversation;
  readonly facts: ColumnFacts | undefined;
}

/** Reads an archive: lists its conversations, finds those that may answer a question, and gives what is known of each. */
export class ArchiveReader {
  readonly #connected: Connected;
  readonly #shapes: RecordKindTable;
  readonly #cache: ColumnCache | undefined;
  /** What was asked for last, by key. */
  #facts = new Map<string, ColumnFacts | undefined>();
  /** What is on its way for those from an index on. */
  #ahead: { readonly first: number; readonly rows: Promise<readonly Row[]> } | undefined;
  /** The conversations that are asked one after the other, in their order. */
  #asked: readonly ArchivedConversation[] = [];
  /** Whether texts are asked for, so that it must be known which may stand where. */
  #asksForTexts = true;
  #indexes = new Map<string, number>();
  #plan: QueryPlan | undefined;
  /** By texts and conversation, in which of those that were asked with it they stand. */
  readonly #found = new Map<string, Map<string, Promise<ReadonlySet<string>>>>();

  /** `cache`: keeps what is known of conversations between questions to the same archive; left out, nothing is kept. */
  constructor(connected: Connected, cache?: ColumnCache) {
    this.#connected = connected;
    this.#cache = cache;
    this.#shapes = cache?.recordKinds ?? new RecordKindTable();
  }

  /** One conversation by its id. Rejects with an ArchiveError where it is not there. */
  async find(id: string): Promise<ArchivedConversation> {
    const found = await this.lookFor(id);
    if (!found) throw new ArchiveError(t`The archive has no conversation ${id}.`, 'refused');
    return found;
  }

  /** The same; undefined where it is not there. */
  async lookFor(id: string): Promise<ArchivedConversation | undefined> {
    const { rows } = await this.#query(`${LISTED} WHERE c.conversation = $1`, [archiveKey(id)]);
    return rows.map(conversationOf).find((each) => each.id === id);
  }

  /** Its conversations, the newest first; with a plan, those that may hold an answer. Rejects with an ArchiveError. */
  async conversations(plan?: QueryPlan): Promise<readonly ArchivedConversation[]> {
    const condition = plan ? candidateCondition(plan) : { sql: 'TRUE', values: [] };
    const { rows } = await this.#query(
      `${LISTED}
WHERE s.conversation IS NULL OR s.records < c.records OR ${condition.sql}
${NEWEST_FIRST}`,
      condition.values,
    );
    const conversations = rows.map(conversationOf);
    this.#asked = conversations;
    this.#plan = plan;
    this.#asksForTexts = !plan || [...plan.terms.values()].some(({ on }) => on === 'texts');
    this.#indexes = new Map(conversations.map(({ key }, at) => [key, at]));
    this.#facts = new Map();
    this.#ahead = undefined;
    this.#found.clear();
    return conversations;
  }

  /** How many conversations there are. Rejects with an ArchiveError. */
  async count(): Promise<number> {
    const { rows } = await this.#query(`SELECT count(*) AS count FROM agent_logbook.conversations`, []);
    return Number(rows[0]?.count ?? 0);
  }

  /**
   * So many conversations behind others, the newest first, with what is known of each without its texts. Rejects with an
   * ArchiveError.
   */
  async page(from: number, count: number): Promise<readonly CachedConversation[]> {
    const { rows } = await this.#query(`${LISTED}\n${NEWEST_FIRST} LIMIT $1 OFFSET $2`, [count, from]);
    const conversations = rows.map(conversationOf);
    const found = new Map(
      (await this.#rowsOf(conversations, false)).map((row) => [row.conversation, row] as const),
    );
    return conversations.map((conversation) => ({
      conversation,
      facts: this.#factsIn(conversation, found.get(conversation.key), false),
    }));
  }

  /** Opens a conversation for reading. */
  transcript({ id, records }: ArchivedConversation): ArchivedTranscript {
    return new ArchivedTranscript(id, records, this.#connected);
  }

  /** What is known of a conversation without its records; undefined where these have to be read. Rejects with an ArchiveError. */
  async factsOf(conversation: ArchivedConversation): Promise<ColumnFacts | undefined> {
    const { key, isSummed } = conversation;
    if (!isSummed) return undefined;
    const cached = this.#cached(conversation);
    if (cached) return cached;
    if (!this.#facts.has(key)) await this.#loadFrom(this.#indexes.get(key) ?? 0, conversation);
    return this.#facts.get(key);
  }

  /**
   * Whether one of some texts may stand in a conversation: their lines are looked through for it, those of several conversations
   * at once. Rejects with an ArchiveError.
   */
  async mayHave({ key }: ArchivedConversation, texts: readonly RawText[]): Promise<boolean> {
    const name = JSON.stringify(texts);
    const known = this.#found.get(name) ?? new Map<string, Promise<ReadonlySet<string>>>();
    this.#found.set(name, known);
    let found = known.get(key);
    if (!found) {
      const asked = [key, ...this.#askedBehind(key).filter((each) => !known.has(each))];
      found = this.#conversationsWith(texts, asked);
      for (const each of asked) known.set(each, found);
    }
    return (await found).has(key);
  }

  /** The next conversations of the list of which all that is known allows an answer: hardly any for a rare text. */
  #askedBehind(key: string): readonly string[] {
    const at = this.#indexes.get(key);
    const behind = at === undefined ? [] : this.#asked.slice(at + 1, at + FACTS_AT_ONCE);
    return behind.filter((each) => this.#mayAnswer(each)).map((each) => each.key);
  }

  /** False also where what is known of it has not come yet. */
  #mayAnswer(conversation: ArchivedConversation): boolean {
    const plan = this.#plan;
    if (!plan || !conversation.isSummed) return true;
    const facts = this.#cached(conversation) ?? this.#facts.get(conversation.key);
    return facts !== undefined && couldMatch(plan.query, (term) => mayHold(term, plan, facts));
  }

  /** The facts of a conversation and of those that are asked after it; while these are asked, the next come. */
  async #loadFrom(first: number, asked: ArchivedConversation): Promise<void> {
    const some = this.#batchAt(first);
    const wanted = some.includes(asked) ? some : [asked];
    const ahead = this.#ahead?.first === first && wanted === some ? this.#ahead.rows : undefined;
    const rows = await (ahead ?? this.#rowsOf(wanted, this.#asksForTexts));
    const next = first + FACTS_AT_ONCE;
    const following = wanted === some ? this.#batchAt(next) : [];
    this.#ahead =
      following.length === 0 ? undefined : { first: next, rows: this.#rowsOf(following, this.#asksForTexts) };
    // Whoever asks for them hears of it; where nobody does, nothing is missing.
    this.#ahead?.rows.catch(() => undefined);
    const found = new Map(rows.map((row) => [row.conversation, row]));
    this.#facts = new Map(
      wanted.map((each) => [each.key, this.#factsIn(each, found.get(each.key), this.#asksForTexts)]),
    );
  }

  #batchAt(first: number): readonly ArchivedConversation[] {
    const all = this.#asked.slice(first, first + FACTS_AT_ONCE);
    return all.filter((each) => each.isSummed && !this.#cached(each));
  }

  /** Facts with grams tell what those without tell, too. */
  #cached({ stamp }: ArchivedConversation): ColumnFacts | undefined {
    const withGrams = this.#cache?.get(`${stamp}\ngrams`);
    return withGrams ?? (this.#asksForTexts ? undefined : this.#cache?.get(stamp));
  }

  async #rowsOf(conversations: readonly ArchivedConversation[], withGrams: boolean): Promise<readonly Row[]> {
    // A third shorter on the way than bytes are, which come as hexadecimal digits.
    const grams = withGrams ? `, encode(grams, 'base64') AS grams` : '';
    const { rows } = await this.#query(
      `SELECT conversation, records, encode(facts, 'base64') AS facts${grams} FROM agent_logbook.summaries
WHERE conversation = ANY ($1::text[])`,
      [conversations.map(({ key }) => key)],
    );
    return rows;
  }

  #factsIn(
    { id, records, source, project, stamp }: ArchivedConversation,
    row: Row | undefined,
    withGrams: boolean,
  ): ColumnFacts | undefined {
    // What has come meanwhile is not among the records that are read.
    if (row?.records !== records) return undefined;
    const columns = columnsIn(row.facts);
    const blocks = withGrams ? columnsIn(row.grams)?.blocks : [];
    if (!columns || !blocks || columns.head.records !== records) return undefined;
    const whole = { ...columns, blocks };
    const about = { session: id, source, project, toolSession: columns.head.toolSession ?? undefined };
    const facts = ColumnFacts.over(whole, about, this.#shapes);
    if (facts) this.#cache?.set(withGrams ? `${stamp}\ngrams` : stamp, facts, bytesOfColumns(whole));
    return facts;
  }

  async #conversationsWith(
    texts: readonly RawText[],
    asked: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const values: Parameter[] = [asked];
    const conditions = texts.map(({ text, ignoresCase }) => {
      values.push(ignoresCase ? text.toLowerCase() : text);
      return `position($${values.length}::text IN ${ignoresCase ? FOLDED_LINE : LINE}) > 0`;
    });
    const { rows } = await this.#query(
      `SELECT DISTINCT conversation FROM agent_logbook.records
WHERE conversation = ANY ($1::text[]) AND (is_odd OR ${conditions.join(' OR ') || 'FALSE'})`,
      values,
    );
    return new Set(rows.map(({ conversation }) => String(conversation)));
  }

  async #query(sql: string, values: readonly Parameter[]) {
    return await (await this.#connected()).query(sql, values);
  }
}

/** A line as text, whatever its bytes are: the texts that are looked for are of ASCII and have no backslash. */
const LINE = `encode(line, 'escape')`;
/** Not `lower`, which goes by the language of the database. */
const FOLDED_LINE = `translate(${LINE}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

function columnsIn(cell: Row[string] | undefined): SessionColumns | undefined {
  return typeof cell === 'string' ? parseSearchFile(Buffer.from(cell, 'base64'))?.columns : undefined;
}

function conversationOf(row: Row): ArchivedConversation {
  const { conversation, records, summed } = row;
  const key = String(conversation);
  // What no key can be stands beside it; most keys are the id.
  const named = key.startsWith('~') ? objectIn(row.about)?.conversation : key;
  const id = typeof named === 'string' ? named : key;
  let entry: CatalogEntry | undefined;
  return {
    id,
    key,
    records: Number(records),
    isSummed: summed === records && Number(records) > 0,
    beganAt: typeof row.began_ms === 'number' ? row.began_ms : 0,
    source: textOr(row.source),
    project: textOr(row.project),
    stamp: `${key}\n${String(records)}\n${String(row.pushed_at)}`,
    // Questions are put to thousands, and need hardly any of these.
    get entry() {
      return (entry ??= entryIn(row, id));
    },
  };
}

function entryIn({ about, entry, records }: Row, id: string): CatalogEntry {
  const stored = objectIn(entry);
  if (stored && isEntry(stored)) return { ...stored, conversation: id };
  const title = objectIn(about)?.title;
  return entryOf(id, typeof title === 'string' ? title : '', Number(records));
}

/** What is listed of a conversation whose push broke off. */
function entryOf(conversation: string, title: string, records: number): CatalogEntry {
  return {
    conversation,
    title,
    agents: [],
    startedAt: 0,
    endedAt: 0,
    messages: records,
    runs: 0,
    tokens: 0,

    recordedHere: false,
    tokensEstimated: false,
    state: 'interrupted',
    scripted: false,
    damaged: 0,
    bytes: 0,
  };
}

/** Whether an entry is one, because others may have written it. */
function isEntry(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & CatalogEntry {
  const { title, agents, state } = value;
  const numbers = [
    value.startedAt,
    value.endedAt,
    value.messages,
    value.runs,
    value.tokens,
    value.damaged,
    value.bytes,
  ];
  return (
    typeof title === 'string' &&
    typeof state === 'string' &&
    Array.isArray(agents) &&
    agents.every((agent) => typeof agent === 'string') &&
    numbers.every(Number.isFinite)
  );
}

/** The object whose JSON a cell holds in Base64; undefined where somebody else wrote something else into it, which hides nothing. */
function objectIn(base64: Row[string] | undefined): Readonly<Record<string, unknown>> | undefined {
  if (typeof base64 !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, 'base64').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOr(cell: Row[string] | undefined): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}
