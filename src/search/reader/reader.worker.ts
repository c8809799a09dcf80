import { type Translations, useTranslations } from '../../core/l10n.js';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { serveThread } from '../../node/serveThread.js';
import type { MarkedPrices } from '../columns/readSession.js';
import { PriorityGate } from '../../page/panel/recordReader.js';
import { pathsOf } from '../../store/files/storePaths.js';
import { linesStateOf, openLines } from '../../store/read/openLines.js';
import { readLine } from '../../store/read/readSpans.js';
import { TokenService } from '../../query/tokens/tokenService.js';
import type { ExportsOnThread } from './exportsOnThread.js';
import { OpenedTranscript } from './openedTranscript.js';
import { ScanThreads } from './scanThreads.js';
import {
  loadCatalogRow,
  loadCatalogRows,
  loadCosts,
  loadExports,
  loadMarkedPrices,
  loadPriceTable,
} from './readerFeatures.js';
import type { ReaderCalls, ReaderHostCalls } from './readerCalls.js';

useTranslations((workerData ?? undefined) as Translations | undefined);
const opened = new Map<number, OpenedTranscript>();
/** Of all transcripts: what one panel shows comes before what another reads. */
const gate = new PriorityGate();
let tokens: TokenService | undefined;
let exporting: Promise<ExportsOnThread> | undefined;

/** The transcript with a number; throws where it was closed. */
function openOne(transcript: number): OpenedTranscript {
  const found = opened.get(transcript);
  if (!found) throw new Error('This transcript is not open any more.');
  return found;
}

const calls: ReaderCalls = {
  open: async (transcript, target, live, ownPrices) => {
    const send = (event: Parameters<ReaderHostCalls['send']>[1]) =>
      host.call('send', transcript, event).catch(() => undefined);
    const made = await OpenedTranscript.open(target, live, {
      log,
      send,
      gate,
      scan,
      tokens: countOnThread,
      prices: pricesNow(ownPrices),
      madeBy: await madeBy(ownPrices),
    });
    opened.set(transcript, made);
  },
  ask: async (transcript, call, args) => {
    const session = openOne(transcript).session as Record<
      typeof call,
      (...args: readonly unknown[]) => unknown
    >;
    return await Reflect.apply(session[call], session, args);
  },
  begin: (transcript, growth) => openOne(transcript).begin(growth),
  grow: (transcript, growth) => openOne(transcript).grow(growth),
  end: (transcript, growth, segments) => openOne(transcript).end(growth, segments),
  close: (transcript) => {
    opened.get(transcript)?.dispose();
    opened.delete(transcript);
  },
  lines: async ({ root, id, name }) => linesStateOf(await openLines(pathsOf(root, id, name), log)),
  record: ({ root, id, name }, line, position) => readLine(pathsOf(root, id, name), line, position),
  row: async ({ root, id, name }, kept) => {
    const { readRow } = await loadCatalogRow();
    return readRow(pathsOf(root, id, name), kept);
  },
  rows: async (wanted) => {
    const { readRows } = await loadCatalogRows();
    const asked = wanted.map(({ target: { root, id, name }, kept }) => ({
      paths: pathsOf(root, id, name),
      kept,
    }));
    return readRows(asked, { log, mayBlock: true });
  },
  cost: async (target, ownPrices) => {
    const { conversationCost } = await loadCosts();
    const { loadUsablePrices } = await loadPriceTable();
    return conversationCost(target, await loadUsablePrices(ownPrices), log);
  },
  export: async (job, target, work) => (await exports()).export(job, target, work),
  // Whoever exports hears it where that cannot be loaded.
  cancelExport: (job) => void exporting?.then((made) => made.cancel(job)).catch(() => undefined),
};

/** What exports; loaded with the first of them, because the first rows of a panel wait for all that is loaded before. */
function exports(): Promise<ExportsOnThread> {
  return (exporting ??= loadExports().then(
    ({ ExportsOnThread }) =>
      new ExportsOnThread({
        tokens: countOnThread,
        log,
        gate,
        onProgress: (job, read, all) => {
          host.tell('exportProgress', job, read, all);
        },
      }),
  ));
}

/** What models cost, loaded while files are opened. */
async function pricesNow(ownPrices: string): Promise<MarkedPrices> {
  const { markedPrices } = await loadMarkedPrices();
  return markedPrices(ownPrices);
}

/** Names this program, and the file with own prices, as they are now: answers of any other are worked out anew. */
async function madeBy(ownPrices: string): Promise<string> {
  const files = [fileURLToPath(import.meta.url), ...(ownPrices === '' ? [] : [ownPrices])];
  const entries = await Promise.all(files.map((path) => stat(path).catch(() => undefined)));
  const named = files.map((path, at) => `${path} ${entries[at]?.size} ${entries[at]?.mtimeMs}`);
  // Hashed, because stores travel, and need not tell where somebody keeps what.
  return createHash('sha256').update(named.join('\n')).digest('hex');
}

/** The counter, on a thread of its own whose bundle lies beside this one. */
function countOnThread(): TokenService {
  return (tokens ??= new TokenService(new URL('./tokens.js', import.meta.url)));
}

const { host, log } = serveThread<ReaderHostCalls>(calls);
const scan = new ScanThreads({ script: new URL('./scan.js', import.meta.url), log });
