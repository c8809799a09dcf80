/** Finding and reading the files that define agents. */
export { buildCatalog } from '../../agents/catalog.js';
export { findAgentFiles } from '../../agents/findAgentFiles.js';
export { builtInToolNames } from '../../agents/toolAliases.js';
export { missingTools } from '../../tools/selectTools.js';
