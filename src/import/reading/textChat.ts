/** Who speaks, by the words that stand above messages. */
const SPEAKERS: readonly (readonly [role: string, words: RegExp])[] = [
  ['user', /^(?:user|human|you|me|prompt)$/i],
  [
    'assistant',
    /^(?:assistant|ai|agent|claude|chatgpt|cursor|copilot|github copilot|gemini|gpt|bot|model|response|answer)$/i,
  ],
  ['system', /^system$/i],
];

/** The role that a line of its own announces: a name in bold or as a heading, perhaps with a time or a model beside it. */
export function headingOf(line: string): string | undefined {
  if (line.length > 120 || !/^(?:#{1,6} |[_*]{2,3})/.test(line)) return undefined;
  const name = line
    .replace(/^#{1,6} /, '')
    .replace(/[_*]/g, '')
    .replace(/\([^)]*\)|\[[^\]]*\]/g, '')
    .replace(/^[^\p{L}]+/u, '')
    .replace(/\s*[:—–-]?\s*$/u, '');
  return SPEAKERS.find(([, words]) => words.test(name))?.[0];
}

/** What stands behind the speaker on a line like `User: hello`; undefined for any other line. */
export function spokenLine(line: string): { readonly role: string; readonly words: string } | undefined {
  const [, name = '', words = ''] = /^([A-Za-z]{2,12}): ?(.*)$/.exec(line) ?? [];
  const role = SPEAKERS.find(([, known]) => known.test(name))?.[0];
  return role === undefined || /^(?:me|prompt|model|response|answer)$/i.test(name)
    ? undefined
    : { role, words };
}

/** Whether a text is a chat whose first line says who speaks, with somebody who asks and somebody who answers. */
export function isSpokenText(text: string): boolean {
  const lines = text.split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const roles = new Set(lines.flatMap((line) => spokenLine(line)?.role ?? []));
  return spokenLine(first) !== undefined && roles.has('user') && roles.has('assistant');
}

/** Whether a text is a chat: somebody asks on a line of its own, and somebody answers. */
export function isTextChat(text: string): boolean {
  const roles = new Set<string>();
  for (const line of text.split('\n')) {
    const role = headingOf(line.trimEnd());
    if (role !== undefined) roles.add(role);
    if (roles.has('user') && roles.has('assistant')) return true;
  }
  return isSpokenText(text);
}
