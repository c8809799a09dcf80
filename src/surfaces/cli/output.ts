import { withoutColours } from '../../core/terminalColours.js';
import { escapedUnseen, visibleLine, visibleText } from '../../core/visibleText.js';
import type { Redactor } from '../../export/secrets/redact.js';
import { redactorFor } from '../../export/sharing/sharingGate.js';
import { DEFAULT_RULES, type SharingRules } from '../../export/sharing/sharingPolicy.js';
import { cutTo, foldLines, styled, type Style } from './styles.js';
import { columnsBeside, columnsOf, type Terminal } from './terminal.js';

/** The version of the shapes that `--json` writes: a field that goes or changes its meaning makes it another. */
export const SHAPES_VERSION = 1;

/** How much text is collected before it is written, in UTF-16 code units. */
const HELD_CHARACTERS = 32 * 1024;

/** How wide what is written for people is where nobody says, in columns. */
const USUAL_COLUMNS = 100;
const MIN_COLUMNS = 20;

/** How something is written. */
export interface OutputOptions {
  /** Whether a program reads it. */
  readonly json: boolean;
  /** Whether secrets stay as they are. */
  readonly raw: boolean;
  /** What is left out besides secrets, and what stays; absent: secrets. */
  readonly sharing?: SharingRules | undefined;
  readonly color: 'auto' | 'always' | 'never';
}

/**
 * The only way out of the command line: without secrets unless they are asked for, without characters that a terminal would
 * obey, and as fast as somebody reads.
 */
export class Output {
  readonly isJson: boolean;
  /** The columns that a line for people may take. */
  readonly columns: number;
  readonly #terminal: Terminal;
  readonly #redactor: Redactor | undefined;
  readonly #hasColor: boolean;
  /** How wide the terminal is; undefined where nobody says. */
  readonly #width: number | undefined;
  #held = '';
  #hasProgress = false;

  constructor(terminal: Terminal, { json, raw, color, sharing = DEFAULT_RULES }: OutputOptions) {
    const { out, env } = terminal;
    this.#terminal = terminal;
    this.isJson = json;
    this.#redactor = raw ? undefined : redactorFor(sharing);
    this.#width = columnsOf(terminal);
    this.columns = Math.max(MIN_COLUMNS, columnsOf(terminal) ?? USUAL_COLUMNS);
    const mayColor = out.isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
    this.#hasColor = color === 'always' || (color === 'auto' && mayColor);
  }

  /** Whether secrets are replaced. */
  get redacts(): boolean {
    return this.#redactor !== undefined;
  }

  /** What replaces secrets; undefined where they stay. */
  get redactor(): Redactor | undefined {
    return this.#redactor;
  }

  /** Any JSON value without its secrets. */
  clean<T>(value: T): T {
    return this.#redactor ? (this.#redactor.value(value) as T) : value;
  }

  /** A text of others on one line: without its secrets, every character visible. */
  line(text: string): string {
    return visibleLine(this.clean(text));
  }

  /** A text of others with its line breaks. */
  lines(text: string): string {
    return visibleText(this.clean(withoutColours(text.replace(/\r\n/g, '\n'))));
  }

  /** A text that is safe to show, in a style where there are colours. */
  style(style: Style, text: string): string {
    return this.#hasColor ? styled(style, text) : text;
  }

  /** Writes a line for people, made of texts that are safe to show; several, where the terminal is narrower. */
  async say(line = ''): Promise<void> {
    await this.write(`${foldLines(line, this.#width)}\n`);
  }

  /** Writes a line of JSON: a `kind` of shape and its fields, which pass the gate here. */
  async tell(kind: string, value: object): Promise<void> {
    const json = JSON.stringify({ v: SHAPES_VERSION, kind, ...this.clean(value) });
    await this.write(`${escapedUnseen(wellFormed(json))}\n`);
  }

  /** Writes a text as it is: what it is made of must have passed the gate. */
  async write(text: string): Promise<void> {
    this.#held += text;
    if (this.#held.length >= HELD_CHARACTERS) await this.flush();
  }

  /** Writes what was held back. Rejects as `TextSink` does. */
  async flush(): Promise<void> {
    const text = this.#held;
    this.#held = '';
    if (text === '') return;
    await this.#endProgress();
    await this.#terminal.out.write(text);
  }

  /** Tells the person at the terminal something that is no part of the answer. */
  async note(text: string): Promise<void> {
    await this.flush();
    await this.#endProgress();
    const told = `agent-logbook: ${this.line(text)}`;
    await this.#terminal.err.write(`${foldLines(told, columnsBeside(this.#terminal))}\n`);
  }

  /** Shows what is being done, where somebody looks. */
  progress(text: string): void {
    const { err } = this.#terminal;
    if (!err.isTerminal) return;
    this.#hasProgress = true;
    // Where it cannot be shown, nothing is missing.
    // On one line: only that is taken back.
    const room = columnsBeside(this.#terminal);
    const line = this.line(text);
    const shown = room === undefined ? line : cutTo(line, Math.max(1, room - 1));
    err.write(`\r\u001b[K${shown}`).catch(() => undefined);
  }

  async #endProgress(): Promise<void> {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    await this.#terminal.err.write('\r\u001b[K');
  }
}

/** JSON in which half a character, which strict readers of JSON refuse, is the character for what is none. */
function wellFormed(json: string): string {
  return json.replace(HALVES, '$1\\ufffd');
}

/** An escape of half a character; a backslash before it may itself be escaped. Whole ones are not escaped. */
const HALVES = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
