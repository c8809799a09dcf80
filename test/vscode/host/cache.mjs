import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder outside of every checkout for what is downloaded once: in `AGENT_LOGBOOK_CACHE`, or in the user's cache.
 * @param {string} name
 */
export function cacheFolder(name) {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(process.env.AGENT_LOGBOOK_CACHE || join(caches, 'agent-logbook'), name);
}
