import { isObject } from '../../core/message.js';
import { preview } from '../../core/text.js';

/** The content of a provider's error, as far as it has any. */
export interface ProviderError {
  readonly message: string;
  /** Its codes and types, in lower case, to distinguish kinds of errors. */
  readonly kind: string;
  readonly status: number | undefined;
  /** How long it asks to wait, in milliseconds, where a field says so. */
  readonly retryAfterMs?: number;
}

type Json = Readonly<Record<string, unknown>>;

/** How much of a web page is read for its text, in UTF-16 code units. */
const PAGE_LENGTH = 4_000;

/** Deeper reasons are not written as text, which could exhaust the stack. */
const FAULT_DEPTH = 50;

const NOTHING: ProviderError = { message: '', kind: '', status: undefined };

/**
 * Reads a provider's error in any form: OpenAI's object, a text, a list (Google), validation errors (Mistral, FastAPI), a
 * router's message around that of the provider behind it, a proxy's web page.
 */
export function readProviderError(error: unknown): ProviderError {
  if (typeof error === 'string')
    return { ...NOTHING, message: isWebPage(error) ? wordsOfPage(error) : error };
  if (Array.isArray(error)) return readProviderError((error as unknown[]).find(isObject) ?? '');
  if (!isObject(error)) return NOTHING;
  const inner = [error.error, error.errors].map(firstObject).find((one) => one !== undefined) ?? error;
  const { code, type, metadata } = inner;
  const kinds = [
    code,
    type,
    inner.status,
    isObject(metadata) ? metadata.error_type : undefined,
    quotaOf(inner),
  ];
  const wait = waitOf(inner);
  return {
    message: (wordsIn(inner) ?? wordsIn(error) ?? '') + behind(metadata),
    kind: kinds
      .filter((one) => typeof one === 'string')
      .join(' ')
      .toLowerCase(),
    status: statusOf(code),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** Whether a text is a web page, as proxies and wrong URLs answer with. */
export function isWebPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml)\b/i.test(text);
}

/** The title of a web page, else the beginning of its text. */
export function wordsOfPage(page: string): string {
  const start = page.slice(0, PAGE_LENGTH);
  const title = /<title[^<>]*>([^<]*)/i.exec(start)?.[1]?.trim();
  if (title) return preview(title, 200);
  const text = start.replace(/<(?:script|style)[^<>]*>[^<]*/gi, ' ').replace(/<[^<>]*>/g, ' ');
  return preview(text.replace(/\s+/g, ' ').trim(), 200);
}

function firstObject(value: unknown): Json | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(one) ? one : undefined;
}

function wordsIn({ message, detail, error, msg }: Json): string | undefined {
  const texts = [message, detail, error, msg].filter((one) => typeof one === 'string' && one !== '');
  if (typeof texts[0] === 'string') return texts[0];
  const faults = [detail, isObject(message) ? (message.detail ?? message) : message].find(
    (one) => typeof one === 'object' && one !== null,
  );
  return faults === undefined ? undefined : faultsIn(faults);
}

/** Validation errors, each with its place; anything else as it is. */
function faultsIn(faults: unknown): string {
  if (!isShallow(faults, FAULT_DEPTH)) return 'its reasons are nested too deeply to be shown';
  if (!Array.isArray(faults)) return JSON.stringify(faults);
  return (faults as unknown[])
    .map((fault) =>
      isObject(fault) && Array.isArray(fault.loc) && typeof fault.msg === 'string'
        ? `${fault.loc.join('.')}: ${fault.msg}`
        : JSON.stringify(fault),
    )
    .join('; ');
}

/** The message of the provider behind a router (OpenRouter). */
function behind(metadata: unknown): string {
  if (!isObject(metadata)) return '';
  const { raw, provider_name: name } = metadata;
  const said = typeof raw === 'string' ? readProviderError(parsedBody(raw)).message : '';
  if (said === '') return '';
  return ` (${typeof name === 'string' ? `${name}: ` : ''}${said})`;
}

function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

/** Google's details tell how long to wait and which quota is exhausted, like `RequestsPerMinutePerProject`. */
function detailsOf({ details }: Json): readonly Json[] {
  return Array.isArray(details) ? (details as unknown[]).filter(isObject) : [];
}

function waitOf(error: Json): number | undefined {
  const delay = detailsOf(error)
    .map(({ retryDelay }) => retryDelay)
    .find((one) => typeof one === 'string');
  const match = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '');
  return match ? Math.round(Number(match[1]) * 1000) : undefined;
}

function quotaOf(error: Json): string {
  const violations = detailsOf(error).flatMap(({ violations: list }) =>
    Array.isArray(list) ? (list as unknown[]).filter(isObject) : [],
  );
  return violations.map(({ quotaId }) => (typeof quotaId === 'string' ? quotaId : '')).join(' ');
}

/** The value of a JSON text; other text as it is. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Proxies answer with plain text or HTML.
    return text;
  }
}

/** Whether a value has at most `depth` levels; what has, nothing that walks it can exhaust the stack with. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
