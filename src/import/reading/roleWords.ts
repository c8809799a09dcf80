/** Who speaks, by every word that tools have for it; written in small letters, without separators. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  system: ['system', 'systemprompt', 'systemmessage', 'instructions', 'sys'],
  developer: ['developer', 'developermessage'],
  user: ['user', 'human', 'customer', 'prompter', 'person', 'usermessage', 'humanmessage', 'request', 'you'],
  assistant: [
    'assistant',
    'ai',
    'gpt',
    'bot',
    'chatbot',
    'chatgpt',
    'model',
    'agent',
    'gemini',
    'claude',
    'llm',
    'assistantmessage',
    'aimessage',
    'aimessagechunk',
    'agentmessage',
    'response',
    'copilot',
    'grok',

    'modelresponse',
    'botmessage',
    'functioncall',
    'toolcall',
    'toolcalls',
    'say',
    'thought',
    'thoughtevent',
    'reasoningmessage',
    'apimessage',
    'reasoning',
    'thinking',
  ],
  tool: [
    'tool',
    'function',
    'observation',
    'toolresult',
    'toolmessage',
    'functionmessage',
    'toolresponse',
    'functionresponse',
    'functionresult',
    'tooloutput',
    'environment',
    'ipython',
    'toolcallresult',
    'functionexecutionresultmessage',
    'tooluseresult',
    'functioncalloutput',
    'functioncallresult',
    // Open Interpreter's word for what code printed.
    'computer',
  ],
};

const ROLE_OF = new Map(
  Object.entries(ROLES).flatMap(([role, words]) => words.map((word) => [word, role] as const)),
);

/** The role that a word says, in any spelling; undefined where it is none, but perhaps a name. */
export function wordForRole(word: unknown): string | undefined {
  return ROLE_OF.get(plainWord(word));
}

const WRITTEN: ReadonlySet<string> = new Set([...Object.keys(ROLES), 'human', 'function']);

/** A role as APIs write it, of which some programs change the letter case; another word as it is, and undefined for none. */
export function writtenRole(word: unknown): string | undefined {
  if (typeof word !== 'string' || word === '') return undefined;
  const small = word.toLowerCase();
  return WRITTEN.has(small) ? small : word;
}

/** A word in small letters without separators, so that spellings of one word are equal. */
export function plainWord(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase().replace(/[^a-z0-9]/g, '') : '';
}
