import type { JsonSchema } from './model.js';

/** Checks the arguments of a tool call against the tool's schema. */
export interface ArgumentValidator {
  /**
   * What is wrong, one sentence per problem for the model to read, with the place (`/path/0`) and, for an
   * enumeration, the allowed values; empty when nothing is. Never throws or rejects: an unusable schema is a problem too.
   */
  check(schema: JsonSchema, args: unknown): readonly string[] | Promise<readonly string[]>;
}
