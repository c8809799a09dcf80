import { compactJson } from '../../query/numbers/jsonText.js';
import { isObject, textOf } from '../../core/message.js';
import { Redactor, type SecretMatch } from '../secrets/redact.js';
import { withoutSequences } from '../secrets/colouredText.js';
import type { SecretRow } from '../secrets/secretRow.js';
import { NO_KINDS, SHAPED_KINDS } from '../secrets/secretTable.js';
import { masked } from './finding.js';
import type { KnownValues } from '../secrets/knownValues.js';

/** What a person has named, and is no secret. */
export interface OwnThings {
  readonly rows: readonly SecretRow[];
  /** Values of it that were left out. */
  readonly known: KnownValues;
}

/** What a check of a result needs. */
export interface ResultCheckOptions {
  /** Secrets that were left out. */
  readonly known?: KnownValues | undefined;
  readonly own?: OwnThings | undefined;
  /** Whether something was decided to stay. */
  readonly isLeftIn?: ((found: SecretMatch) => boolean) | undefined;
}

/** Something was about to be written that was to be left out; nothing of it is. */
export class NotCleanError extends Error {
  constructor(
    readonly kind: string,
    value: string,
  ) {
    super(
      `This would have shown something that is to be left out (${kind}: ${masked(value)}), so it was not written. ` +
        `The record holds it in a form that was not recognised there.`,
    );
    this.name = 'NotCleanError';
  }
}

/** How much of a chunk is looked at again with the next one, in UTF-16 code units: the longest key that is recognised. */
const OVERLAP = 4_096;

/**
 * Looks through what is written, in the bytes that are written: for every secret that was left out, also escaped or encoded,
 * and for every key that its form gives away. Text by text, with bounded memory. What a person has named is looked for only in
 * what comes from records: our own words, and the folder that somebody goes on in, may be named like it.
 */
export class ResultCheck {
  readonly #options: ResultCheckOptions;
  readonly #redactor: Redactor;
  readonly #own: Redactor | undefined;
  #tail = '';
  #failure: NotCleanError | undefined;
  /** How often something with entities of HTML in it was found: a quote ends an address, and `&quot;` does not. */
  #doubts = 0;
  #isDecoded = false;

  constructor(options: ResultCheckOptions = {}) {
    this.#options = options;
    const { own, isLeftIn = () => false } = options;
    const judge = (found: SecretMatch) => {
      if (!this.#isDecoded && withoutEntities(found.value) !== found.value) this.#doubts++;
      else if (!isLeftIn(found)) this.#failure ??= new NotCleanError(found.kind, found.value);
      return undefined;
    };
    this.#redactor = new Redactor({ kinds: SHAPED_KINDS, judge });
    if (own && own.rows.length > 0)
      this.#own = new Redactor({
        kinds: NO_KINDS,
        rows: own.rows,
        judge: (found) => (found.isOwn ? judge(found) : undefined),
      });
  }

  /**
   * Looks through something of a record, after what is left out of it was replaced, for what a person has named. `make` is only
   * called where they have named something. Throws a NotCleanError.
   */
  given(make: () => unknown): void {
    if (!this.#own) return;
    const value = make();
    this.#own.value(value);
    // Formats that have no parts join them.
    const content = contentOf(value);
    if (Array.isArray(content)) this.#own.text(textOf(content));
    const { known } = this.#options.own ?? {};
    if (known && known.size > 0) this.#lookFor(known, compactJson(value));
    if (this.#failure) throw this.#failure;
  }

  /** Looks through the next text, together with the end of what came before. Throws a NotCleanError. */
  next(text: string): void {
    const seen = this.#tail + text;
    this.#lookThrough(seen);
    const { known } = this.#options;
    if (known && known.size > 0) this.#lookFor(known, seen);
    if (this.#failure) throw this.#failure;
    this.#tail = tailOf(seen);
  }

  /** Looks for keys by their form; what holds entities is looked for as it is read. */
  #lookThrough(text: string): void {
    const before = this.#doubts;
    this.#redactor.text(text);
    if (this.#doubts === before) return;
    this.#isDecoded = true;
    this.#redactor.text(withoutEntities(text));
    this.#isDecoded = false;
  }

  #lookFor(known: KnownValues, text: string): void {
    for (const view of viewsOf(text)) {
      const [found] = known.spansIn(view);
      if (found) this.#failure ??= new NotCleanError('known value', found.value);
    }
  }
}

/** The content of a message, or of that of a record. */
function contentOf(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  return isObject(value.message) ? value.message.content : value.content;
}

/** The end of a text, from the beginning of a word, because the end of one may look like a key. */
function tailOf(text: string): string {
  const from = text.length - OVERLAP;
  if (from <= 0) return text;
  const space = /\s/g;
  space.lastIndex = from;
  const found = space.exec(text);
  return text.slice(found ? found.index : from);
}

/**
 * A text as it stands there, and as whoever reads it sees it: without escapes of JSON and Markdown, without entities, without
 * the colours of a terminal.
 */
function viewsOf(text: string): readonly string[] {
  const views = [text];
  const plain = withoutSequences(text);
  if (plain !== text) views.push(plain);
  if (plain.includes('\\')) views.push(unescaped(plain).replaceAll('\\', ''));
  if (text.includes('&')) views.push(withoutEntities(text));
  return views;
}

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (whole, name: string) => entity(name) ?? whole);
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

const ENTITY = /&(amp|lt|gt|quot|#39|#x27);/g;

function entity(name: string): string | undefined {
  return { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }[name];
}
