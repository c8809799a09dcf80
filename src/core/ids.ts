/** What an id names: it becomes the id's prefix, so that an id says what it is wherever it is met. */
export type IdKind = 'conversation' | 'run' | 'call' | 'message' | 'tool';

const prefixes: Readonly<Record<IdKind, string>> = {
  conversation: 'c',
  run: 'r',
  call: 'k',
  message: 'm',
  tool: 't',
};

/** A new id like `r_1f0c…` (32 hexadecimal digits): unique, and safe as a file name on every system. */
export function newId(kind: IdKind): string {
  return `${prefixes[kind]}_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** A new conversation id like `20261121-093015-5f0c2a9e`: sorts by its UTC start time, safe as a folder name. */
export function newConversationId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${crypto.randomUUID().slice(0, 8)}`;
}
