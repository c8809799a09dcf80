/** Finding the sessions of other tools on this machine. */
export { toolHome } from '../../import/toolHomes.js';
export { openDiscovery } from '../discovery/openDiscovery.js';
export { SessionRows } from '../discovery/sessionGroups.js';
