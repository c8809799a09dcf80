/** What an id identifies; it determines the id's prefix, so that an id is recognisable anywhere. */
export type IdKind = 'conversation' | 'run' | 'call' | 'message' | 'tool';

const prefixes: Readonly<Record<IdKind, string>> = {
  conversation: 'c',
  run: 'r',
  call: 'k',
  message: 'm',
  tool: 't',
};

/** A new id like `r_1f0c…` (128 random bits in hexadecimal): unique, and a valid file name on every system. */
export function newId(kind: IdKind): string {
  if (nextRandom === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    nextRandom = 0;
  }
  codes[0] = prefixes[kind].charCodeAt(0);
  for (let at = 2; at < codes.length; at += 2) {
    const byte = randomBytes[nextRandom++] ?? 0;
    codes[at] = hexDigit(byte >> 4);
    codes[at + 1] = hexDigit(byte & 15);
  }
  // In one step: a string concatenated from pieces takes ten times the memory until it is first read. `codes` has 34.
  return Reflect.apply(String.fromCharCode, undefined, codes);
}

const UNDERSCORE = 0x5f;
const ID_BYTES = 16;

/** The character codes of the id under construction; reused. */
const codes = new Array<number>(2 + 2 * ID_BYTES).fill(UNDERSCORE);

/** Fetched for 256 ids at a time: a call for each id would cost more than everything else here. */
const randomBytes = new Uint8Array(ID_BYTES * 256);
let nextRandom = randomBytes.length;

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** Whether a text is an id as `newConversationId` makes them. */
export function isConversationId(text: string): boolean {
  return text.length === CONVERSATION_ID_LENGTH && CONVERSATION_ID.test(text);
}

const CONVERSATION_ID_LENGTH = '20261121-093015-5f0c2a9e'.length;
const CONVERSATION_ID = /^\d{8}-\d{6}-[0-9a-f]{8}$/;

/** A new conversation id like `20261121-093015-5f0c2a9e`: sorts by UTC start time, and is a valid folder name. */
export function newConversationId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${crypto.randomUUID().slice(0, 8)}`;
}
