import { errorCode } from '../../core/errorCode.js';
import { t } from '../../core/l10n.js';
import { messageOf, preview } from '../../core/text.js';
import type { PartialAnswer, TraceSerializer } from './encodeSpans.js';
import { TooSlowError, type CollectorAnswer } from './postTraces.js';

/**
 * What became of a request: `taken`, with how many of its spans were not; `later`: it is to be sent again, after some time where that is
 * said; `setup`: nothing will be taken until a person changes something; `tooLarge`; or `refused`: this one will never be taken.
 */
export type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number; readonly words: string }
  | { readonly kind: 'later'; readonly words: string; readonly afterMs?: number }
  | { readonly kind: 'setup' | 'tooLarge' | 'refused'; readonly words: string };

/** The longest wait that a collector may ask for, in milliseconds. */
const MAX_WAIT = 24 * 60 * 60_000;

/** How much of what a collector says is repeated, in code points. */
const QUOTED = 300;

/** What the answer of a collector means. */
export function verdictOf(
  answer: CollectorAnswer,
  serializer: Pick<TraceSerializer, 'deserializeResponse'>,
  now: number,
): Verdict {
  const { status, headers } = answer;
  const isPage = (headers['content-type'] ?? '').includes('html');
  if (status >= 200 && status < 300)
    return isPage ? { kind: 'setup', words: pageWords(status) } : taken(answer, serializer);
  const said = isPage ? '' : saidIn(answer);
  switch (status) {
    case 401:
    case 403:
      return {
        kind: 'setup',
        words: t`The collector refused the credentials (${status}${said}). Use Set OpenTelemetry Headers…`,
      };
    case 404:
    case 405:
      return {
        kind: 'setup',
        words: t`At this address nothing takes traces (${status}${said}). Check agentLogbook.openTelemetry.endpoint.`,
      };
    case 407:
      return { kind: 'setup', words: t`A proxy asks for credentials (407). Check the setting http.proxy.` };
    case 413:
      return { kind: 'tooLarge', words: t`The collector takes no requests of this size (413${said}).` };
    case 415:
      return {
        kind: 'setup',
        words: t`What answers there takes no protobuf (415${said}): it is no collector, or an old one.`,
      };
    case 408:
    case 425:
    case 429:
    case 502:
    case 503:
    case 504: {
      const afterMs = retryAfter(headers['retry-after'], now);
      const words = t`The collector asks to come again later (${status}${said}).`;
      return { kind: 'later', words, ...(afterMs !== undefined && { afterMs }) };
    }
    default:
      if (status >= 300 && status < 400)
        return {
          kind: 'setup',
          words: t`The address leads elsewhere: ${headers.location ?? String(status)}. Use that one as agentLogbook.openTelemetry.endpoint.`,
        };
      if (isPage) return { kind: 'setup', words: pageWords(status) };
      if (status >= 500) return { kind: 'later', words: t`The collector failed (${status}${said}).` };
      return { kind: 'refused', words: t`The collector refused the spans (${status}${said}).` };
  }
}

/** What it means that no answer came. */
export function verdictOfFailure(error: unknown, host: string): Verdict {
  if (error instanceof TooSlowError) return { kind: 'later', words: t`${host} did not answer in time.` };
  const code = errorCode(error);
  if (/^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code))
    return {
      kind: 'setup',
      words: t`The certificate of ${host} cannot be trusted (${code}). Its authority has to be known to this machine.`,
    };
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return { kind: 'setup', words: t`${host} does not speak TLS there. Check the address and its port.` };
  if (code === 'ENOTFOUND')
    return {
      kind: 'later',
      words: t`${host} is not known: the address is wrong, or this machine is offline.`,
    };
  if (code === 'ECONNREFUSED') return { kind: 'later', words: t`Nothing listens at ${host}.` };
  return { kind: 'later', words: t`${host} cannot be reached: ${preview(messageOf(error), QUOTED)}` };
}

function pageWords(status: number): string {
  return t`A web page answered instead of a collector (${status}): a proxy, a sign-in or another address.`;
}

function taken({ body }: CollectorAnswer, serializer: Pick<TraceSerializer, 'deserializeResponse'>): Verdict {
  const { rejectedSpans = 0, errorMessage = '' } = partialIn(body, serializer);
  return {
    kind: 'taken',
    rejected: Math.max(0, rejectedSpans),
    words: preview(errorMessage, QUOTED),
  };
}

function partialIn(
  body: Buffer,
  serializer: Pick<TraceSerializer, 'deserializeResponse'>,
): NonNullable<PartialAnswer['partialSuccess']> {
  try {
    return body.length === 0 ? {} : (serializer.deserializeResponse(body).partialSuccess ?? {});
  } catch {
    // It said that it took the spans; some gateways say so in words of their own.
    return {};
  }
}

/** What a refusal says, where that is text; the answers of collectors are a `google.rpc.Status`, whose words are in it as they are. */
function saidIn({ body }: CollectorAnswer): string {
  const words = body
    .toString('utf8')
    .replace(/[\p{Cc}\ufffd\s]+/gu, ' ')
    .trim();
  return words === '' ? '' : `: ${preview(words, QUOTED)}`;
}

/** How long a header asks to wait, in milliseconds: seconds, or until a date. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(asked) ? Math.min(MAX_WAIT, Math.max(0, asked)) : undefined;
}
