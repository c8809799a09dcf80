import type { AnswerSchema } from './answerSchemas.js';
import type { McpLibrary } from './library.js';

/** The schema of one argument. */
export interface ArgumentSchema {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The arguments of a call, which its schema has checked. */
export class ToolArguments {
  readonly given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.given = given;
  }

  text(name: string): string | undefined {
    const value = this.given[name];
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.given[name];
    return typeof value === 'number' ? value : undefined;
  }

  has(name: string): boolean {
    return this.given[name] === true;
  }
}

/** A tool that reads: what a model is told of it, and what answers. */
export interface ReadTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  /** What it answers; everything that `run` gives stands in it. */
  readonly answer: AnswerSchema;
  /** Rejects with a UserError whose message a model can act on. */
  readonly run: (library: McpLibrary, args: ToolArguments) => Promise<object>;
}

/** How long a text of an argument may be, in UTF-16 code units. */
const MAX_ARGUMENT = 4_000;

/** A text. */
export function text(description: string): ArgumentSchema {
  return { type: 'string', description, maxLength: MAX_ARGUMENT };
}

/** A whole number within bounds. */
export function whole(description: string, minimum: number, maximum: number): ArgumentSchema {
  return { type: 'integer', description, minimum, maximum };
}

/** Yes or no; no where it is left out. */
export function boolean(description: string): ArgumentSchema {
  return { type: 'boolean', description };
}

/** One of some words. */
export function choice(description: string, of: readonly string[]): ArgumentSchema {
  return { type: 'string', description, enum: of };
}
