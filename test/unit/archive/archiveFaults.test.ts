import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ArchivedTranscript } from '../../../src/archive/archivedTranscript.js';
import type { PushedTranscript } from '../../../src/archive/conversationPush.js';
import { builtCommandLine } from '../../support/builtCommandLine.js';
import { isDeep, seed } from '../../support/fixedInputs.js';
import { PASSWORD } from '../../support/postgresServer.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { ownArchives } from '../../support/testArchive.js';

/** How many times a process is killed: a short campaign, unless somebody asks for a long one. */
const KILLS = Number(process.env.AGENT_LOGBOOK_ARCHIVE_KILLS ?? (isDeep ? 10 : 3));

const { server, database, connect } = ownArchives();

const program = builtCommandLine();

test(
  `nothing is lost and nothing doubled when two machines push and either side is killed ${KILLS} times`,
  async () => {
    const random = randomNumbers(seed);
    const { store, root } = await temporaryStore();
    const name = await database();
    const env = {
      ...process.env,
      AGENT_LOGBOOK_ARCHIVE: server().address(name),
      AGENT_LOGBOOK_ARCHIVE_PASSWORD: PASSWORD,
    };
    const push = () => {
      const child = spawn(process.execPath, [program(), 'push', 'all', '--mode', 'full'], {
        cwd: join(root, '..'),
        env,
        stdio: 'ignore',
      });
      return { child, ended: once(child, 'exit') as Promise<[number | null]> };
    };
    const conversations: string[] = [];
    const add = async () => {
      const id = `c${conversations.length}`;
      const records = Array.from({ length: 2_000 }, (_, at) =>
        recordOf(at + 1, said(at % 500 === 0 ? `large ${at} `.repeat(8_000) : `loaf ${at}`), id),
      );
      await store.importConversation(id, records);
      conversations.push(id);
    };
    // It makes the tables, and says how long a push takes on this machine.
    await add();
    const began = performance.now();
    await push().ended;
    const usual = performance.now() - began;
    for (let kill = 0; kill < KILLS; kill++) {
      await add();
      const machines = [push(), ...(random() < 0.5 ? [push()] : [])];
      await sleep(random() * 1.5 * usual);
      if (random() < 0.4) {
        await server().kill();
        await server().begin();
      } else for (const { child } of machines) child.kill('SIGKILL');
      await Promise.all(machines.map(({ ended }) => ended));
    }
    const last = push();
    expect((await last.ended)[0]).toBe(0);
    const connection = await connect(name);
    for (const id of conversations) {
      const transcript = (await store.openTranscript(id)) as PushedTranscript;
      const back = new ArchivedTranscript(id, 10_000, () => Promise.resolve(connection));
      const [here, there] = [await transcript.readLines?.(0, 10_000), await back.readLines(0, 10_000)];
      expect(there.length).toBe(transcript.length);
      expect(there.every((line, at) => here?.[at]?.equals(line) === true)).toBe(true);
      const { rows } = await connection.query(
        `SELECT c.records, s.records AS summed, (SELECT count(DISTINCT path) FROM agent_logbook.texts AS t WHERE t.conversation = c.conversation) AS texts
FROM agent_logbook.conversations AS c JOIN agent_logbook.summaries AS s ON s.conversation = c.conversation WHERE c.conversation = $1`,
        [id],
      );
      expect(rows).toEqual([{ records: 2_000, summed: 2_000, texts: 4 }]);
      await transcript.close();
    }
    await connection.close();
  },
  60_000 + KILLS * 15_000,
);
