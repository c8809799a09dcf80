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
  if (nextRandom === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    nextRandom = 0;
  }
  let id = `${prefixes[kind]}_`;
  for (const end = nextRandom + ID_BYTES; nextRandom < end; nextRandom++) {
    id += hexOf[randomBytes[nextRandom] ?? 0] ?? '';
  }
  return id;
}

const ID_BYTES = 16;

/** The two hexadecimal digits of each byte. */
const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Fetched for many ids at once: asking for each costs more than all the rest of it. */
const randomBytes = new Uint8Array(ID_BYTES * 256);
let nextRandom = randomBytes.length;

/** A new conversation id like `20261121-093015-5f0c2a9e`: sorts by its UTC start time, safe as a folder name. */
export function newConversationId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${crypto.randomUUID().slice(0, 8)}`;
}
