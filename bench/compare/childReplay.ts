import { replayRun } from '../../src/app/team/replayRun.js';
import { MemoryTranscript } from '../../test/support/memoryTranscript.js';
import { aTeam, aTool, use } from '../../test/support/scriptedTeam.js';

/** How many steps the run has, each a call of a tool. */
const STEPS = 1_000;

const script = { Pickle: [...Array.from({ length: STEPS }, (_, n) => use('note', { n })), { text: 'done' }] };
const tools = [aTool('note', ({ n }) => `noted ${String(n)}. `.repeat(40))];
const team = aTeam(['Pickle'], { script, tools, limits: { steps: 2 * STEPS, tokens: Infinity } });
await team.session.run('go');
const transcript = new MemoryTranscript('c1', team.records);
const before = process.memoryUsage().rss;
const from = process.cpuUsage();
const { exact, answers } = await replayRun(transcript);
const { user, system } = process.cpuUsage(from);
if (!exact || answers !== STEPS + 1) throw new Error(`${answers} answers were served.`);
const bytes = Math.max(0, process.memoryUsage().rss - before);
console.log(JSON.stringify({ ms: (user + system) / 1_000, bytes, way: 'exact' }));
