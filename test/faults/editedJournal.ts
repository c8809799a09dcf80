import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogRecord } from '../../src/core/record.js';
import { silentLog } from '../../src/core/ports/log.js';
import { encodeLine } from '../../src/store/format/lineFormat.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { sealReport } from '../../src/store/write/sealReport.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { inFolder, type Figures, type Recipe } from './recipe.js';

const COUNT = 60;
const NEWLINE = 0x0a;

const open = (root: string, codes: string[] = []) =>
  TranscriptStore.open({ root, log: silentLog, onProblem: ({ code }) => codes.push(code) });

function record(seq: number, content = `text ${seq}`): LogRecord {
  const header = { seq, id: `m_${seq}`, time: 1_790_000_000_000 + seq, conversation: 'c1' };
  const place = { run: 'r', call: 'k', agent: 'a', depth: 0 };
  return { ...header, ...place, type: 'message', message: { role: 'user', content } };
}

/** Cuts a journal under its writer: everything that was acknowledged is there in the end, in order. */
export const shrunkJournal: Recipe = {
  name: 'a journal that is emptied or cut while it is being written',
  run: async ({ scale, random }, figures) => {
    for (let run = 0; run < 3 * scale; run++) {
      figures.runs++;
      await inFolder(async (folder) => {
        const codes: string[] = [];
        let [left, whole] = [0, 0];
        const store = await open(folder, codes);
        const journal = await store.createConversation('c1');
        for (let seq = 1; seq <= COUNT; seq++) {
          journal.append(record(seq));
          if (seq !== COUNT / 2) continue;
          await journal.flush();
          const path = await store.journalPath('c1');
          const { length } = readFileSync(path);
          left = random() < 0.3 ? 0 : Math.floor(random() * length);
          whole = readFileSync(path)
            .subarray(0, left)
            .filter((byte) => byte === NEWLINE).length;
          truncateSync(path, left);
          if (random() < 0.5) await sleep(1000);
        }
        await store.close();
        figures.acknowledged += COUNT;
        if (codes.join() !== 'ESHRUNK') figures.faults.push(`told: ${codes.join()}`);
        await expectAll(folder, figures);
        await expectCut(folder, whole, figures);
      });
    }
  },
};

/** The seal names the lines that were cut off its file, and nothing else; what was written again is sealed in the next. */
async function expectCut(folder: string, whole: number, figures: Figures): Promise<void> {
  const { breaks, gaps, unsealed } = await sealReport(pathsOf(folder, 'c1'));
  const isCut = breaks.length > 0 && breaks.every(({ kind, file }) => kind === 'removed' && file === 1);
  if (!isCut || breaks[0]?.line !== whole + 1 || gaps.length > 0)
    figures.faults.push(
      `cut behind line ${whole}, the seal says ${JSON.stringify([breaks[0], gaps, unsealed])}`,
    );
}

async function expectAll(folder: string, figures: Figures): Promise<void> {
  const store = await open(folder);
  const transcript = await store.openTranscript('c1');
  const read = await transcript.read(0, transcript.length);
  await store.close();
  for (let seq = 1; seq <= COUNT; seq++) {
    const times = read.filter((each) => JSON.stringify(each) === JSON.stringify(record(seq))).length;
    if (times === 0) figures.lost++;
    else if (times > 1) figures.duplicates++;
  }
}

/** Edits a journal by hand: whatever is taken out or put in is counted, and all that stands there is shown. */
export const editedJournal: Recipe = {
  name: 'repeated ids with other content, and headers and records taken out by hand',
  run: async ({ scale, random }, figures) => {
    await inFolder(async (folder) => {
      const store = await open(folder);
      const journal = await store.createConversation('c1');
      for (let seq = 1; seq <= COUNT; seq++) journal.append(record(seq));
      await journal.close();
      const path = await store.journalPath('c1');
      await store.close();
      const good = readFileSync(path, 'utf8').trimEnd().split('\n');
      for (let run = 0; run < 50 * scale; run++) {
        figures.runs++;
        const lines = [...good];
        // Record 60 stays, because nothing tells that a last record was there.
        const at = Math.floor(random() * (COUNT - 1));
        const isRepeat = random() < 0.5;
        if (isRepeat)
          lines.splice(at + 1, 0, encodeLine(record(1 + Math.floor(random() * COUNT), 'twin')).toString());
        else lines.splice(at, 1);
        writeFileSync(path, `${lines.join('\n')}\n`);
        const { breaks } = await sealReport(pathsOf(folder, 'c1'));
        const [named] = breaks;
        const line = isRepeat ? at + 2 : at + 1;
        if (breaks.length !== 1 || named?.kind !== (isRepeat ? 'inserted' : 'removed') || named.line !== line)
          figures.faults.push(`line ${line}: the seal says ${JSON.stringify(breaks.slice(0, 3))}`);
        const reader = await open(folder);
        const transcript = await reader.openTranscript('c1');
        const expected = isRepeat ? COUNT + 1 : at === 0 ? COUNT : COUNT - 1;
        if (transcript.length !== expected)
          figures.faults.push(`${transcript.length} records are shown instead of ${expected}`);
        if (transcript.damaged.length === 0)
          figures.faults.push(
            `line ${at + 1}: nothing is told of ${isRepeat ? 'a repeated id' : 'what is gone'}`,
          );
        await reader.close();
      }
    });
  },
};
