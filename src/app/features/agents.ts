/** Finding and reading the files that define agents. */
export { AgentFileWatch } from '../../agents/definitions/agentFileWatch.js';
export { buildCatalog } from '../../agents/definitions/catalog.js';
export { findAgentFiles } from '../../agents/definitions/findAgentFiles.js';
export { builtInToolNames } from '../../agents/definitions/toolAliases.js';
export { missingTools } from '../../agents/tools/selectTools.js';
