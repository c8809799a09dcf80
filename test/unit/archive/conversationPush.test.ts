import { expect, test, vi } from 'vitest';
import { ArchivedTranscript } from '../../../src/archive/archivedTranscript.js';
import { ArchiveReader } from '../../../src/archive/archiveReader.js';
import type { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import type { ArchiveMode } from '../../../src/archive/archiveMode.js';
import { ConversationPush } from '../../../src/archive/conversationPush.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { DEFAULT_RULES, sharingRules } from '../../../src/export/sharing/sharingPolicy.js';
import type { LogRecord } from '../../../src/core/record.js';
import type { Transcript } from '../../../src/core/ports/transcript.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { hostileStory } from '../../support/hostileStory.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { ownArchives } from '../../support/testArchive.js';

const { archive, connect, server } = ownArchives();

const never = new AbortController().signal;

/** A way to push a transcript. */
function pushOf(transcript: Transcript, mode: ArchiveMode = 'full', title = 'Bread') {
  return new ConversationPush(
    { id: transcript.conversation, about: { title, source: 'oven', project: 'bakery' }, transcript },
    { mode, rules: DEFAULT_RULES, prices: { prices: NO_PRICES, mark: 'none' }, signal: never },
  );
}

const archived = (
  connection: ArchiveConnection,
  { conversation, length }: Pick<Transcript, 'conversation' | 'length'>,
) => new ArchivedTranscript(conversation, length, () => Promise.resolve(connection));

const story = (from: number, to: number): LogRecord[] =>
  Array.from({ length: to - from }, (_, at) => recordOf(from + at + 1, said(`loaf ${from + at}`)));

test('a conversation comes back as it was, and grows by what is new', async () => {
  const { connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 1_500));
  const push = pushOf(transcript);
  expect(await push.push(connection)).toMatchObject({ kind: 'new', added: 1_500, records: 1_500 });
  expect(await archived(connection, transcript).read(0, 2_000)).toEqual(transcript.records);
  expect(await push.push(connection)).toMatchObject({ kind: 'unchanged', added: 0 });
  transcript.append(story(1_500, 1_510));
  expect(await push.push(connection)).toMatchObject({ kind: 'grown', added: 10 });
  // Another machine, or another start of this one, goes on where it ended.
  transcript.append(story(1_510, 1_520));
  expect(await pushOf(transcript).push(connection)).toMatchObject({
    kind: 'grown',
    added: 10,
    records: 1_520,
  });
  expect(await archived(connection, transcript).read(0, 2_000)).toEqual(transcript.records);
  await connection.close();
});

test('in full, lines are there byte for byte, large texts too', async () => {
  const { connection } = await archive();
  const { store } = await temporaryStore();
  const records = hostileStory(100).records;
  const own = records.map((record, at) => ({ ...record, conversation: 'c1', seq: at + 1 }));
  await store.importConversation('c1', [
    ...own,
    recordOf(own.length + 1, said('x'.repeat(200_000))),
    recordOf(own.length + 2, said('\ud800'.repeat(60_000))),
  ]);
  const transcript = await store.openTranscript('c1');
  await pushOf(transcript).push(connection);
  const back = archived(connection, transcript);
  const lines = await (
    transcript as unknown as { readLines(from: number, to: number): Promise<Buffer[]> }
  ).readLines(0, 1_000);
  expect(lines).toHaveLength(own.length + 2);
  expect(await back.readLines(0, 1_000)).toEqual(lines);
  expect(await back.read(0, 1_000)).toEqual(await transcript.read(0, 1_000));
  const [large, lone] = await back.read(own.length, own.length + 2);
  for (const record of [large, lone])
    for (const { path } of (record as { spill?: { path: string }[] }).spill ?? [])
      expect(await back.readSpill(path)).toBe(await transcript.readSpill(path));
  await connection.close();
});

test('two machines push the same conversation at the same time: each record is there once', async () => {
  const { name, connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 3_500));
  const others = await Promise.all([connect(name), connect(name)]);
  const outcomes = await Promise.all([connection, ...others].map((each) => pushOf(transcript).push(each)));
  expect(outcomes.reduce((sum, { added }) => sum + added, 0)).toBe(3_500);
  expect(await archived(connection, transcript).read(0, 4_000)).toEqual(transcript.records);
  for (const each of [connection, ...others]) await each.close();
});

test('a conversation is begun and stored with five statements, that wait for none but the end', async () => {
  const { connection } = await archive();
  const asked = vi.spyOn(connection, 'query');
  await pushOf(new MemoryTranscript('c1', story(0, 100))).push(connection, null);
  expect(asked.mock.calls.map(([text]) => /^(?:BEGIN|COMMIT|INSERT INTO \S+)/.exec(text)?.[0])).toEqual([
    'BEGIN',
    'INSERT INTO agent_logbook.records',
    'INSERT INTO agent_logbook.conversations',
    'INSERT INTO agent_logbook.summaries',
    'COMMIT',
  ]);
  await connection.close();
});

test.each<[name: string, count: number, body: object, reads: number]>([
  ['short ones', 200, said('a b '.repeat(25)), 1],
  ['long texts', 20, said('a b '.repeat(250_000)), 2],
  ['long names', 20, { ...said('a'), usage: { ['a b '.repeat(125_000)]: 1 } }, 2],
  ['many numbers', 20, { ...said('a'), usage: { list: Array.from({ length: 100_000 }, () => 1) } }, 2],
])(
  'records are read once for the gate and the lines where they are not too large to be kept: %s',
  async (_, count, body, reads) => {
    const { connection } = await archive();
    const records = story(0, count).map((record) => ({ ...record, ...body }));
    const transcript = new MemoryTranscript('c1', records);
    const read = vi.spyOn(transcript, 'read');
    expect(await pushOf(transcript, 'redacted').push(connection)).toMatchObject({ added: count });
    expect(read).toHaveBeenCalledTimes(reads);
    await connection.close();
  },
);

test('what somebody else has begun since the archive was asked is gone on with, in the stricter mode', async () => {
  const { connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 10));
  await pushOf(transcript, 'facts', '').push(connection);
  transcript.append(story(10, 30));
  expect(await pushOf(transcript).push(connection, null)).toMatchObject({
    kind: 'grown',
    mode: 'facts',
    added: 20,
    records: 30,
  });
  expect(await everything(connection)).not.toContain('loaf');
  const other = story(0, 50).map((record) => ({ ...record, seq: record.seq + 5 }));
  await expect(pushOf(new MemoryTranscript('c1', other)).push(connection, null)).rejects.toThrow(
    'another conversation',
  );
  const { rows } = await connection.query('SELECT count(*) FROM agent_logbook.records');
  expect(rows).toEqual([{ count: 30 }]);
  await connection.close();
});

test('what is taken back is taken back as a whole: no statement of it comes behind', async () => {
  const { connection } = await archive();
  await pushOf(new MemoryTranscript('c1', story(0, 10)), 'facts', '').push(connection);
  // Its answer comes when it is known already that all is taken back.
  await connection.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $$`);
  await connection.query(
    'CREATE TRIGGER slow BEFORE INSERT ON agent_logbook.summaries EXECUTE FUNCTION slow()',
  );
  const before = await everything(connection);
  const other = story(0, 50).map((record) => ({ ...record, seq: record.seq + 5 }));
  await expect(pushOf(new MemoryTranscript('c1', other)).push(connection, null)).rejects.toThrow(
    'another conversation',
  );
  expect(await everything(connection)).toBe(before);
  await connection.close();
});

test('another conversation, of as many records, that somebody else has begun meanwhile is told as such', async () => {
  const { connection } = await archive();
  await pushOf(new MemoryTranscript('c1', story(0, 10))).push(connection);
  await connection.query('DELETE FROM agent_logbook.summaries');
  const before = await everything(connection);
  const other = story(0, 10).map((record) => ({ ...record, id: `other ${record.seq}` }));
  await expect(pushOf(new MemoryTranscript('c1', other)).push(connection, null)).rejects.toThrow(
    'another conversation',
  );
  expect(await everything(connection)).toBe(before);
  await connection.close();
});

test('one that is there and may not be seen is told as another, in words', async () => {
  const { name, connection } = await archive();
  await pushOf(new MemoryTranscript('c1', story(0, 10))).push(connection);
  await connection.query(`UPDATE agent_logbook.conversations SET project = 'secret'`);
  for (const statement of [
    `CREATE ROLE baker LOGIN PASSWORD 'baker'`,
    'GRANT USAGE ON SCHEMA agent_logbook TO baker',
    'GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA agent_logbook TO baker',
    'ALTER TABLE agent_logbook.conversations ENABLE ROW LEVEL SECURITY',
    `CREATE POLICY baking ON agent_logbook.conversations TO baker USING (project = 'bakery')`,
  ])
    await connection.query(statement);
  const baker = await connect(name, 'baker', 'baker');
  const before = await everything(connection);
  await expect(pushOf(new MemoryTranscript('c1', story(0, 20))).push(baker)).rejects.toThrow(
    'another conversation',
  );
  expect(await everything(connection)).toBe(before);
  for (const each of [connection, baker]) await each.close();
});

test('what breaks off while a batch is stored has ended when that has', async () => {
  const { connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 2_500));
  const read = transcript.read.bind(transcript);
  vi.spyOn(transcript, 'read').mockImplementation((start, end) =>
    start >= 1_000 ? Promise.reject(new Error('the disk is gone')) : read(start, end),
  );
  await expect(pushOf(transcript).push(connection, null)).rejects.toThrow('the disk is gone');
  expect(connection.isBusy).toBe(false);
  const { rows } = await connection.query('SELECT records FROM agent_logbook.conversations');
  expect(rows).toEqual([{ records: 1_000 }]);
  await connection.close();
});

test('a part of a large text is sent when the one before has arrived', async () => {
  const { connection } = await archive();
  let [sent, most] = [0, 0];
  const query = connection.query.bind(connection);
  vi.spyOn(connection, 'query').mockImplementation(async (text, values) => {
    if (!text.includes('agent_logbook.texts')) return await query(text, values);
    most = Math.max(most, ++sent);
    try {
      return await query(text, values);
    } finally {
      sent--;
    }
  });
  const large = recordOf(1, said('loaf '.repeat(1_000_000)));
  await pushOf(new MemoryTranscript('c1', [large]), 'redacted').push(connection);
  expect(most).toBe(1);
  const { rows } = await query(
    'SELECT count(*) AS parts, sum(length(bytes)) AS bytes FROM agent_logbook.texts',
  );
  expect(rows).toEqual([{ parts: 5, bytes: 5_000_000 }]);
  await connection.close();
});

test('another conversation of the same id is told, and what is there stays', async () => {
  const { connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 10));
  await pushOf(transcript).push(connection);
  const other = story(0, 20).map((record) => ({ ...record, id: `other ${record.seq}` }));
  await expect(pushOf(new MemoryTranscript('c1', other)).push(connection)).rejects.toThrow(
    'another conversation',
  );
  const numbered = story(0, 20).map((record) => ({ ...record, seq: record.seq + 5 }));
  await expect(pushOf(new MemoryTranscript('c1', numbered), 'redacted').push(connection)).rejects.toThrow(
    'another conversation',
  );
  expect(await pushOf(new MemoryTranscript('c1', story(0, 5))).push(connection)).toMatchObject({
    kind: 'behind',
  });
  expect(await archived(connection, transcript).read(0, 100)).toEqual(transcript.records);
  await connection.close();
});

test('a server that is away, or full, stops a push, which then goes on from there', async () => {
  const { name, connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 1_200));
  const push = pushOf(transcript);
  await push.push(connection);
  transcript.append(story(1_200, 2_600));
  await server().kill();
  await expect(push.push(connection)).rejects.toMatchObject({ kind: 'away' });
  await server().begin();
  const again = await connect(name);
  await again.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION SQLSTATE '53100' USING MESSAGE = 'no space left on device'; END $$`);
  await again.query(
    'CREATE TRIGGER full_disk BEFORE INSERT ON agent_logbook.records EXECUTE FUNCTION full_disk()',
  );
  await expect(push.push(again)).rejects.toThrow('What is recorded here stays here');
  await again.query('DROP TRIGGER full_disk ON agent_logbook.records');
  expect(await push.push(again)).toMatchObject({ kind: 'grown', added: 1_400 });
  expect(await archived(again, transcript).read(0, 3_000)).toEqual(transcript.records);
  for (const each of [connection, again]) await each.close();
});

/** Everything that the archive holds, as one text. */
async function everything(connection: ArchiveConnection): Promise<string> {
  const texts: string[] = [];
  for (const table of ['conversations', 'records', 'texts', 'summaries']) {
    const { rows } = await connection.query(`SELECT * FROM agent_logbook.${table}`);
    for (const row of rows)
      for (const cell of Object.values(row))
        texts.push(Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell));
  }
  return texts.join('\n');
}

test('no secret gets there but in full, with the same placeholder as the conversation grows', async () => {
  const { connection } = await archive();
  const [one, other] = ['aB3', 'xY7'].map((part) => `sk-ant-api03-${part.repeat(31)}AA`);
  const transcript = new MemoryTranscript('c1', [
    recordOf(1, said(`one ${one}`)),
    recordOf(2, said(`${'x'.repeat(60_000)}${one}`)),
  ]);
  const push = pushOf(transcript, 'redacted', `About ${one}`);
  expect(await push.push(connection)).toMatchObject({ redacted: 2, mode: 'redacted' });
  transcript.append([recordOf(3, said(`other ${other}, then ${one}`))]);
  await pushOf(transcript, 'redacted').push(connection);
  const held = await everything(connection);
  for (const secret of [one ?? '', other ?? '']) expect(held).not.toContain(secret);
  const [, , last] = await archived(connection, transcript).read(0, 3);
  expect(JSON.stringify(last)).toMatch(/other \[REDACTED:[\w-]+:2\], then \[REDACTED:[\w-]+:1\]/);
  await connection.close();
});

test.each(['redacted', 'facts'] as const)(
  'an id that holds what is left out is another one: %s',
  async (mode) => {
    const { connection } = await archive();
    const id = `run-of-Annabel-${fillExample('ghp_{36}')}`;
    const transcript = new MemoryTranscript(id, [
      recordOf(1, said('a loaf'), id),
      recordOf(2, said('x'.repeat(60_000)), id),
    ]);
    const rules = await sharingRules({ names: ['Annabel'] });
    const about = { title: 'A loaf', source: undefined, project: undefined };
    const options = { mode, rules, prices: { prices: NO_PRICES, mark: 'none' }, signal: never };
    const push = () => new ConversationPush({ id, about, transcript }, options).push(connection);
    expect(await push()).toMatchObject({ kind: 'new', added: 2 });
    expect(await everything(connection)).not.toMatch(/ghp_|Annabel/);
    transcript.append([recordOf(3, said('another'), id)]);
    expect(await push()).toMatchObject({ kind: 'grown', added: 1 });
    const reader = new ArchiveReader(() => Promise.resolve(connection));
    const [found, ...more] = await reader.conversations();
    expect([found?.records, more]).toEqual([3, []]);
    expect(found && (await reader.transcript(found).read(0, 9)).length).toBe(3);
    await connection.close();
  },
);

test('facts have no texts, whatever stands where', async () => {
  const { connection } = await archive();
  const marked = JSON.parse(
    JSON.stringify(hostileStory(60).records, (key, value: unknown) =>
      typeof value === 'string' && TEXTS.has(key) ? `${value} quokka` : value,
    ),
  ) as LogRecord[];
  const own = marked.map((record, at) => ({ ...record, conversation: 'c1', seq: at + 1 }));
  const transcript = new MemoryTranscript('c1', own);
  await pushOf(transcript, 'facts', 'a quokka').push(connection);
  expect(await everything(connection)).not.toContain('quokka');
  await connection.close();
});

/** Where people, models and tools say something. */
const TEXTS: ReadonlySet<string> = new Set([
  'content',
  'text',
  'task',
  'arguments',
  'subject',
  'reason',
  'title',
  'message',
  'reasoning_content',
  'refusal',
  'url',
  'superseded',
  'result',
]);

test('values that are SQL, arrays, NUL or halves of characters are values, in ids and columns too', async () => {
  const { connection } = await archive();
  const evil = [
    `'; DROP TABLE agent_logbook.records; --`,
    `$1 $? {a,"b",NULL} \\x00 NULL`,
    `a\u0000b\u001fc\ud800`,
    `~${'x'.repeat(2_000)}`,
    `"); DELETE FROM agent_logbook.conversations WHERE ('1'='1`,
    '',
  ];
  const transcripts = evil.map((text, at) => {
    const call = {
      id: text,
      type: 'function',
      function: { name: text, arguments: JSON.stringify({ path: text, command: text }) },
    } as const;
    const records = evil.map((other, seq) => ({
      ...recordOf(
        seq + 1,
        { type: 'message', message: { role: 'assistant', content: other, tool_calls: [call] }, model: other },
        text,
      ),
      id: `${other}${at}`,
      agent: other,
      run: other,
      call: other,
    }));
    return new MemoryTranscript(text, records);
  });
  for (const transcript of transcripts)
    expect(await pushOf(transcript, 'full', transcript.conversation).push(connection)).toMatchObject({
      kind: 'new',
      added: 6,
    });
  for (const transcript of transcripts) {
    expect(await archived(connection, transcript).read(0, 10)).toEqual(transcript.records);
    expect(await pushOf(transcript).push(connection)).toMatchObject({ kind: 'unchanged' });
  }
  const found = await new ArchiveReader(() => Promise.resolve(connection)).conversations();
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(evil));
  await connection.close();
});
