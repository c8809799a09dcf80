import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { BoundedMap } from '../../../core/boundedMap.js';
import { messageOf, preview } from '../../../core/text.js';
import type { ArgumentValidator } from '../../../core/ports/argumentValidator.js';
import type { JsonSchema } from '../../../core/ports/model.js';
import { safeSchema } from './safeSchema.js';

/** How many parts of a schema one check may look at; arguments that need more are refused. */
const MAX_WORK = 200_000;

/** How many allowed values are listed for the model. */
const MAX_LISTED_VALUES = 50;

/** So many different schemas stay compiled, the one that was not met for longest goes first; a team has some dozens of tools. */
const MAX_CHECKS = 256;

type Check = (args: unknown) => readonly string[];

/**
 * Checks arguments against schemas, each compiled once, also where every call brings its tools, and so its schemas,
 * anew. A schema may come from anywhere: patterns run in linear time, the work of a check is bounded, and what cannot
 * be compiled is a sentence, not an exception.
 */
export class SchemaValidator implements ArgumentValidator {
  readonly #checks = new WeakMap<JsonSchema, Check>();
  /** By the text of a schema's safe copy. */
  readonly #byText = new BoundedMap<string, Check>(MAX_CHECKS);

  check(schema: JsonSchema, args: unknown): readonly string[] {
    let check = this.#checks.get(schema);
    if (!check) {
      check = this.#checkOf(schema);
      this.#checks.set(schema, check);
    }
    return check(args);
  }

  #checkOf(schema: JsonSchema): Check {
    try {
      const copy = safeSchema(schema);
      if (typeof copy === 'string') return unusable(copy);
      const text = JSON.stringify(copy);
      return this.#byText.use(text, () => compile(copy));
    } catch (error) {
      return unusable(messageOf(error));
    }
  }
}

/** A pattern's instructions times a text's length: about 0.1 s of work. */
const MAX_PATTERN_WORK = 5_000_000;

class TooMuchWork extends Error {}

function unusable(why: string): Check {
  const sentence = `The tool's own schema cannot be used: ${why}.`;
  return () => [sentence];
}

/** Throws where the schema cannot be compiled. */
function compile(schema: JsonSchema): Check {
  let work = 0;
  const count = (): void => {
    if (++work > MAX_WORK) throw new TooMuchWork();
  };
  const validate = engine(count).compile(schema);
  return (args) => {
    work = 0;
    return problemsOf(validate, args);
  };
}

/** One compiler for one schema, so that schemas share no ids and are let go of one by one. */
function engine(count: () => void): Ajv {
  return new Ajv({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    ownProperties: true,
    $comment: count,
    code: { regExp: linearRegExp },
  });
}

const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    if (!compiled) return { test: () => true };
    const longest = MAX_PATTERN_WORK / Math.max(1, compiled.programSize());
    return {
      test(text: string): boolean {
        if (text.length > longest) throw new TooMuchWork();
        return compiled.matcher(text).find();
      },
    };
  },
  { code: 'linearRegExp' },
);

/** Undefined where the pattern needs what linear time cannot do: it then allows everything, and the tool decides. */
function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    // Look-around and back-references, or no pattern at all: not a reason to forbid the tool.
    return undefined;
  }
}

function problemsOf(validate: ValidateFunction, args: unknown): readonly string[] {
  try {
    return validate(args) ? [] : (validate.errors ?? []).map(sentenceOf);
  } catch (error) {
    const why = error instanceof TooMuchWork ? 'checking them takes too long' : messageOf(error);
    return [`The arguments cannot be checked against the tool's schema: ${why}.`];
  }
}

function sentenceOf({ instancePath, message = 'is not allowed', params }: ErrorObject): string {
  const about = params as Readonly<Record<string, unknown>>;
  const values = about.allowedValues;
  const extra =
    typeof about.additionalProperty === 'string' ? `: '${preview(about.additionalProperty)}'` : '';
  const listed = Array.isArray(values)
    ? `: ${preview(JSON.stringify(values.slice(0, MAX_LISTED_VALUES)), 2_000)}`
    : '';
  return `${preview(instancePath) || 'The object'} ${message}${extra}${listed}`;
}
