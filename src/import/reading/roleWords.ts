/** Who speaks, by every word that tools have for it; written in small letters, without separators. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  system: ['system', 'systemprompt', 'systemmessage', 'instructions', 'sys'],
  developer: ['developer', 'developermessage'],
  user: [
    'user',
    'human',
    'customer',
    'client',
    'prompter',
    'person',
    'usermessage',
    'humanmessage',
    'request',
    'you',
    'me',
  ],
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

/** No longer word is taken apart. */
const MAX_WORD = 60;

/** The role that a word says, in any spelling; undefined where it is none, but perhaps a name. */
export function wordForRole(word: unknown): string | undefined {
  const found = ROLE_OF.get(plainWord(word));
  if (found !== undefined || typeof word !== 'string' || word.length > MAX_WORD) return found;
  // What programs make of the name of a constant, such as `MessageRole.USER`, and of two words for a person; agents have names.
  const roles = word
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '' && !/^(?:message|chat|author)?role(?:type)?$/i.test(part))
    .map((part) => ROLE_OF.get(plainWord(part)));
  return roles.length === 1 || roles.every((role) => role === 'user') ? roles[0] : undefined;
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
  return typeof value === 'string'
    ? value
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '')
    : '';
}
