import { dangersOf } from './judgeDanger.js';
import { judgeHarmless } from './judgeHarmless.js';
import type { HarmlessCommand } from './judgeHarmless.js';

/** What is known of a command line before it runs. */
export type CommandJudgement =
  /** It only looks at these paths; whether they may be looked at is for the path guard to say. */
  | { readonly kind: 'harmless'; readonly command: HarmlessCommand }
  /** Whoever decides about commands decides. */
  | { readonly kind: 'ordinary' }
  /** A person is asked, whatever the policy says. */
  | { readonly kind: 'mustAsk'; readonly reasons: readonly string[] };

/**
 * Judges a command line by its text alone. Fails closed: what is not understood is never harmless, and what cannot
 * be read to the end must be asked. A command is harmless only if nothing in it is dangerous either.
 */
export function judgeCommand(line: string): CommandJudgement {
  const command = judgeHarmless(line);
  // What a harmless command looks at is known, and is looked at one by one.
  const reasons = dangersOf(line, { placesKnown: command !== undefined });
  if (reasons.length > 0) return { kind: 'mustAsk', reasons };
  return command ? { kind: 'harmless', command } : { kind: 'ordinary' };
}
