import { UserError } from '../app/userError.js';
import { isObject } from '../core/message.js';
import { nearest } from '../core/nearest.js';
import { ToolArguments, type ArgumentSchema } from './readTool.js';

/** What a tool declares of its arguments. */
interface Declared {
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
}

/** The arguments of a call where nobody has checked them before. Throws a UserError that a model can act on. */
export function checkArguments({ properties, required }: Declared, given: unknown): ToolArguments {
  if (!isObject(given)) throw new UserError('The arguments must be an object.');
  const known = new Map(Object.entries(properties));
  for (const [name, value] of Object.entries(given)) {
    const schema = known.get(name);
    if (!schema) {
      const [meant] = nearest(name, [...known.keys()]);
      const hint = meant === undefined ? `these are known: ${[...known.keys()].join(', ')}` : `use ${meant}`;
      throw new UserError(`There is no argument ${JSON.stringify(name)}; ${hint}.`);
    }
    const wrong = whatIsWrong(schema, value);
    if (wrong !== undefined) throw new UserError(`${name} must be ${wrong}.`);
  }
  const missing = required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) throw new UserError(`The argument ${missing} is missing.`);
  return new ToolArguments(given);
}

function whatIsWrong(schema: ArgumentSchema, value: unknown): string | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, maxLength = Infinity } = schema;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer': {
      const isWithin = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      return isWithin ? undefined : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'string':
      if (typeof value !== 'string') return 'a text';
      if (schema.enum && !schema.enum.includes(value)) return `one of ${schema.enum.join(', ')}`;
      return value.length > maxLength ? `a text of at most ${maxLength} characters` : undefined;
  }
}
