/** Finding the sessions of other tools on this machine. */
export { toolHome } from '../../import/toolHomes.js';
export { followPlan, HOOKED, planHooks } from '../discovery/hookFiles.js';
export { followLive } from '../discovery/liveSessions.js';
export { ownRuns } from '../discovery/ownRuns.js';
export { openWatch, sharedTexts } from '../discovery/openWatch.js';
export { openDiscovery } from '../discovery/openDiscovery.js';
