import type { ArgumentValidator } from '../../core/ports/argumentValidator.js';

/**
 * Checks arguments as `SchemaValidator` does, which is loaded with the first tool call: it and the packages that it is made
 * of are a third of what a program would load to make a team.
 */
export function lateValidator(): ArgumentValidator {
  let loading: Promise<ArgumentValidator> | undefined;
  const load = async () => {
    const { SchemaValidator } = await import('../../agents/loop/toolCalls/schemaValidator.js');
    return new SchemaValidator();
  };
  return { check: async (schema, args) => (await (loading ??= load())).check(schema, args) };
}
