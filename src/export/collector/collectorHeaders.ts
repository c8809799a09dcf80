import { t } from '../../core/l10n.js';
import { TelemetryError } from './telemetryError.js';

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
