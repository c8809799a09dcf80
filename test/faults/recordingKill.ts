import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../src/core/message.js';
import { importFile } from '../../src/import/importFile.js';
import { inFolder, type Recipe } from './recipe.js';

/** What was said longer ago than this must be on the disk: pieces are of at most a second, and are synced. */
const LATEST_MS = 1_500;

/** Kills a recorder in the middle of an answer: the recording is readable, and holds the answer as far as it had come. */
export const recordingKill: Recipe = {
  name: 'kill -9 while an answer is recorded',
  run: async ({ driver, scale, random }, figures) => {
    for (let round = 0; round < 4 * scale; round++) {
      await inFolder(async (folder) => {
        const said: number[] = [];
        const server = createServer((request, response) => {
          request.resume();
          speak(response, said);
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
        const child = spawn(process.execPath, [join(dirname(driver), 'recorder.js'), folder, address], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        await once(child.stdout, 'data');
        await sleep(LATEST_MS + random() * 2_000);
        const killedAt = Date.now();
        child.kill('SIGKILL');
        await ended;
        server.closeAllConnections();
        server.close();
        figures.runs++;
        figures.kills++;
        const words = await wordsIn(folder);
        const due = said.filter((time) => time < killedAt - LATEST_MS).length;
        figures.acknowledged += due;
        figures.lost += Math.max(0, due - words.length);
        if (words.some((word, at) => word !== `w${at}`)) figures.damaged++;
      });
    }
  },
};

/** Says a word every few milliseconds, and when. */
function speak(response: ServerResponse, said: number[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => {
    const content = `w${said.length} `;
    said.push(Date.now());
    const event = { object: 'chat.completion.chunk', id: 'c', choices: [{ index: 0, delta: { content } }] };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }, 20);
  response.once('close', () => clearInterval(timer));
}

/** The words of the answer in the one recording of a folder. */
async function wordsIn(folder: string): Promise<readonly string[]> {
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.exchanges.jsonl'));
  const { conversations } = await importFile(join(folder, name));
  const records = conversations.flatMap((each) => [...each.records]);
  const answer = records.findLast((record) => {
    const { message } = record as { readonly message?: { readonly role?: string } };
    return message?.role === 'assistant';
  }) as { readonly message?: { readonly content?: unknown } } | undefined;
  return textOf(answer?.message?.content)
    .split(' ')
    .filter((word) => word !== '');
}
