import { aiSdk } from './aiSdk.js';
import { langgraph } from './langgraph.js';
import { bare, type MakeLoop } from './loop.js';
import { openaiAgents } from './openaiAgents.js';
import { ours } from './ours.js';
import { piAgent, piLoop } from './piAgentCore.js';

/** By the names in the table. */
export const loops: Readonly<Record<string, MakeLoop>> = {
  'Agent Logbook': ours,
  'pi-agent-core Agent': piAgent,
  'pi-agent-core runAgentLoop': piLoop,
  'ai generateText': aiSdk,
  '@openai/agents': openaiAgents,
  'langgraph createReactAgent': langgraph,
  'limit: a bare loop': bare,
};
