import { killFamily } from './processFamily.js';
import type { Family } from './processFamily.js';

/** The running commands, which are killed when this process exits, because nobody would wait for them. */
const living = new Set<Family>();

const killAll = () => {
  for (const family of living) killFamily(family);
};

/** Lets a family die with this process, until the returned function was called. A crash or SIGKILL it outlives. */
export function dieWithUs(family: Family): () => void {
  if (living.size === 0) process.once('exit', killAll);
  living.add(family);
  return () => {
    living.delete(family);
    if (living.size === 0) process.off('exit', killAll);
  };
}
