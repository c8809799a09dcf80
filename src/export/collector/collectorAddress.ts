import { t } from '../../core/l10n.js';
import { isLoopback } from '../../core/loopback.js';
import { TelemetryError } from './telemetryError.js';

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
