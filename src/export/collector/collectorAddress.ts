import { t } from '../../core/l10n.js';
import { isLoopback } from '../../core/loopback.js';

/** Headers that belong to the request itself. */
const OWN = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'connection',
  'transfer-encoding',
]);

/**
 * Headers as a person writes them: `name=value` with commas between, as `OTEL_EXPORTER_OTLP_HEADERS` has them, or lines of
 * `Name: value`. Throws a TelemetryError that never repeats a value.
 */
export function collectorHeaders(written: string): Readonly<Record<string, string>> {
  const isLines = /^\s*[\w-]+\s*:/.test(written);
  const entries = written
    .split(isLines ? /\r?\n/ : /,(?=\s*[\w-]+=)/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => headerOf(entry, isLines));
  return Object.fromEntries(entries);
}

function headerOf(entry: string, isLine: boolean): readonly [string, string] {
  const at = entry.indexOf(isLine ? ':' : '=');
  const name = entry.slice(0, Math.max(0, at)).trim().toLowerCase();
  const given = entry.slice(at + 1).trim();
  const value = isLine ? given : unescaped(given);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TelemetryError(
      t`These are no headers: write name=value, with commas between, as in Authorization=Basic%20….`,
    );
  if (OWN.has(name))
    throw new TelemetryError(t`The header ${name} is set by every request itself; leave it out.`);
  return [name, value];
}

/** The variable of OpenTelemetry has its values in percent-encoding. */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A value with a percent sign of its own was not encoded.
    return value;
  }
}

const TRACES = '/v1/traces';

/**
 * The address that traces are sent to, from what a person wrote: that of a collector, to which the path of traces is added as
 * OpenTelemetry's own variables have it, or the whole one. Throws a TelemetryError where it is none, holds a password, or would send
 * in the open to another machine unless `allowPlain`.
 */
export function collectorAddress(written: string, allowPlain: boolean): URL {
  const text = written.trim();
  if (text === '')
    throw new TelemetryError(
      t`No collector is set: write its address into agentLogbook.openTelemetry.endpoint.`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TelemetryError(t`${text} is no address of a collector: it begins with https:// or http://.`);
  if (url.username !== '' || url.password !== '')
    throw new TelemetryError(
      t`The address of the collector holds a name or a password. Take it out, and use Set OpenTelemetry Headers… instead.`,
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowPlain)
    throw new TelemetryError(
      t`${url.host} would get everything without encryption. Use https://, or allow it by agentLogbook.openTelemetry.allowUnencrypted.`,
    );
  url.hash = '';
  if (!url.pathname.endsWith(TRACES)) url.pathname = `${url.pathname.replace(/\/+$/, '')}${TRACES}`;
  return url;
}

/** Something that keeps spans from a collector, in words that say what to do. */
export class TelemetryError extends Error {
  override readonly name = 'TelemetryError';
}
