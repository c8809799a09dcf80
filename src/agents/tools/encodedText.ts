/** Further readings of one text are not made; whoever wraps a text so often hides it. */
const MAX_READINGS = 24;
/** A text that was wrapped more often is not unwrapped to its end. */
const MAX_WRAPPED = 6;
/** Opaque texts up to this length are taken for an id, a hash or a cursor, in UTF-16 code units. */
const MAX_ID = 128;

/** What a text can be taken for by a program that decodes it. */
export interface DecodedText {
  /** The text itself and every reading of it. */
  readonly readings: readonly string[];
  /** Whether there is more in it than could be read. */
  readonly isUnreadable: boolean;
}

type Decoder = (text: string) => string | undefined;

/** Every reading of a text that may be percent-encoded, escaped, quoted or packed as base64 or hexadecimal, also in turn. */
export function decodeText(text: string): DecodedText {
  const readings = new Set([text]);
  let latest = [text];
  let isUnreadable = false;
  for (let depth = 0; latest.length > 0; depth++) {
    const next: string[] = [];
    for (const reading of latest) {
      for (const decode of decoders) {
        const decoded = decode(reading);
        if (decoded !== undefined && decoded !== reading && !readings.has(decoded)) {
          readings.add(decoded);
          next.push(decoded);
        }
      }
      if (isOpaque(reading)) isUnreadable = true;
    }
    if (next.length > 0 && (depth >= MAX_WRAPPED || readings.size > MAX_READINGS)) {
      return { readings: [...readings], isUnreadable: true };
    }
    latest = next;
  }
  return { readings: [...readings], isUnreadable };
}

const decoders: readonly Decoder[] = [percent, escapes, entities, quoted, base64, hexadecimal, base32];

/** `%2E`, `%u002e`; bytes that are no UTF-8 become U+FFFD, but for the longer forms of `.` and `/` that old programs take. */
function percent(text: string): string | undefined {
  if (!/%(u[\da-f]{4}|[\da-f]{2})/i.test(text)) return undefined;
  return text
    .replace(/%u([\da-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/%(c0%a|e0%80%a)(e|f)/gi, (_, _prefix: string, last: string) => (/e/i.test(last) ? '.' : '/'))
    .replace(/(%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

/** `\u002e`, `\x2e`, `\056`: how source code and git write characters. */
function escapes(text: string): string | undefined {
  if (!/\\(u\{?[\da-f]{2}|x[\da-f]{2}|[0-3][0-7]{2})/i.test(text)) return undefined;
  const character = (digits: string, base: number) => {
    const code = Number.parseInt(digits, base);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  };
  return text
    .replace(
      /\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})/gi,
      (_, a?: string, b?: string, c?: string) => character(a ?? b ?? c ?? '', 16),
    )
    .replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => character(digits, 8));
}

const namedEntities: ReadonlyMap<string, string> = new Map([
  ['period', '.'],
  ['sol', '/'],
  ['bsol', '\\'],
  ['lowbar', '_'],
  ['quot', '"'],
  ['apos', "'"],
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
]);

/** `&#46;`, `&#x2e;`, `&period;`. */
function entities(text: string): string | undefined {
  if (!/&(#x?[\da-f]+|[a-z]+);/i.test(text)) return undefined;
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (all, hex?: string, digits?: string, name = '') => {
      if (hex === undefined && digits === undefined)
        return namedEntities.get(String(name).toLowerCase()) ?? all;
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

/** A text in JSON's quotes. */
function quoted(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^".*"$/s.test(trimmed)) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // Quotes around something else, which is read as it stands.
    return undefined;
  }
}

const base64Text = /^(?:data:[^,]{0,100};base64,)?([\w+/-]{8,}={0,2})$/;

function base64(text: string): string | undefined {
  const body = base64Text.exec(unwrapped(text))?.[1];
  // A path is made of the same letters; what it would be as base64 is no text.
  return body === undefined ? undefined : readableText(Buffer.from(body, 'base64'));
}

function hexadecimal(text: string): string | undefined {
  const body = /^(?:0x)?((?:[\da-f]{2}){6,})$/i.exec(unwrapped(text).replaceAll(/[ :]/g, ''))?.[1];
  return body === undefined ? undefined : readableText(Buffer.from(body, 'hex'));
}

function base32(text: string): string | undefined {
  const body = /^([A-Z2-7]{8,4096})=*$/.exec(unwrapped(text))?.[1];
  if (body === undefined) return undefined;
  const bits = body
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return readableText(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))));
}

/** The text in some bytes; undefined where they are none that a person could read. */
function readableText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return text.length >= 4 && !/[^\P{C}\n\r\t\0]|\ufffd/u.test(text) ? text : undefined;
}

/** What pictures, sounds, documents and fonts begin with, as base64. */
const media =
  /^(data:(image|audio|video|font)\/[^,]{1,60},|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|Qk[01]|JVBERi0|SUkqA|TU0AK|AAAA[\w+/]{2}Z0eXA|T2dnUw|ID3|SUQz|d09GR|GkXfo)/;

/** What compressed bytes begin with, as base64: gzip, zip, bzip2, xz, zstd, 7z. */
const compressed = /^(H4sI|UEsDB|Qlpo|\/Td6WFo|KLUv\/|N3q8r)/;

/** Whether a text is long, packed, and nothing that could be read: it can hold any name. */
function isOpaque(text: string): boolean {
  const body = unwrapped(text);
  if (body.length > 20 && /^[\w+/-]+=*$/.test(body) && compressed.test(body)) return true;
  if (body.length <= MAX_ID || media.test(body)) return false;
  const isHex = /^[\da-f]+$/i.test(body) && /\d/.test(body);
  const isBase32 = /^[A-Z2-7]+=*$/.test(body) && /\d/.test(body);
  // Paths and words of that length are not of all three kinds of characters and of no other.
  const isBase64 =
    /^(data:[^,]{0,100},)?[\w+/-]+=*$/.test(body) && [/[a-z]/, /[A-Z]/, /\d/].every((one) => one.test(body));
  if (!isHex && !isBase32 && !isBase64) return false;
  return base64(text) === undefined && hexadecimal(text) === undefined;
}

/** A text that was wrapped into lines of one length, in one line again; any other text as it is. */
function unwrapped(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  const isWrapped =
    lines.length > 1 && lines.slice(0, -1).every((line) => line.length >= 32 && !/\s/.test(line));
  return isWrapped ? lines.join('') : text.trim();
}
