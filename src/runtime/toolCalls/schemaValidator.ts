import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { messageOf, preview } from '../../core/text.js';
import type { ArgumentValidator } from '../../ports/argumentValidator.js';
import type { JsonSchema } from '../../ports/model.js';
import { safeSchema } from './safeSchema.js';

/** How many parts of a schema one check may look at; arguments that need more are refused. */
const MAX_WORK = 200_000;

/** How many allowed values are listed for the model. */
const LISTED_VALUES = 50;

type Check = (args: unknown) => readonly string[];

/**
 * Checks arguments against schemas, each compiled once. A schema may come from anywhere: patterns run in linear
 * time, the work of a check is bounded, and what cannot be compiled is a sentence, not an exception.
 */
export class SchemaValidator implements ArgumentValidator {
  readonly #checks = new WeakMap<JsonSchema, Check>();

  check(schema: JsonSchema, args: unknown): readonly string[] {
    let check = this.#checks.get(schema);
    if (!check) {
      check = compile(schema);
      this.#checks.set(schema, check);
    }
    return check(args);
  }
}

class TooMuchWork extends Error {}

function compile(schema: JsonSchema): Check {
  const unusable = (why: string): Check => {
    const sentence = `The tool's own schema cannot be used: ${why}.`;
    return () => [sentence];
  };
  const copy = safeSchema(schema);
  if (typeof copy === 'string') return unusable(copy);
  let work = 0;
  const count = (): void => {
    if (++work > MAX_WORK) throw new TooMuchWork();
  };
  try {
    const validate = engine(count).compile(copy);
    return (args) => {
      work = 0;
      return problemsOf(validate, args);
    };
  } catch (error) {
    return unusable(messageOf(error));
  }
}

/** One compiler for one schema, so that schemas share no ids and are let go of together with their tool. */
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
    return { test: (text: string) => compiled?.matcher(text).find() ?? true };
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
    ? `: ${preview(JSON.stringify(values.slice(0, LISTED_VALUES)), 2_000)}`
    : '';
  return `${preview(instancePath) || 'The object'} ${message}${extra}${listed}`;
}
