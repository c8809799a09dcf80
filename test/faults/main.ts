import { fileURLToPath } from 'node:url';
import { randomNumbers } from '../support/randomNumbers.js';
import { noFigures, type Figures, type Recipe } from './recipe.js';
import { randomKill } from './randomKill.js';
import { bitRot, cacheRot } from './bitRot.js';
import { recordingKill } from './recordingKill.js';
import { searchRot } from './searchRot.js';
import { speakingKill } from './speakingKill.js';
import { diskErrors } from './diskErrors.js';
import { diskFull } from './diskFull.js';
import { editedJournal, shrunkJournal } from './editedJournal.js';
import { importKill } from './importKill.js';
import { lostStore, readOnlyStore } from './lostStore.js';
import { manyWriters } from './manyWriters.js';
import { partialWrites } from './partialWrites.js';
import { powerCut } from './powerCut.js';
import { syscallKill } from './syscallKill.js';

const recipes: readonly Recipe[] = [
  randomKill,
  syscallKill,
  partialWrites,
  powerCut,
  diskErrors,
  diskFull,
  manyWriters,
  lostStore,
  readOnlyStore,
  importKill,
  recordingKill,
  speakingKill,
  bitRot,
  cacheRot,
  searchRot,
  shrunkJournal,
  editedJournal,
];

const [mode = 'short', only = '', seedText = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
const scale = mode === 'short' ? 1 : mode === 'long' ? 20 : Number(mode);
if (!(scale >= 1))
  throw new Error(`'${mode}' is neither short, long nor a number of times the short campaign.`);
const seed = Number(seedText);

async function campaign(): Promise<boolean> {
  const driver = fileURLToPath(new URL('./driver.js', import.meta.url));
  const all = new Map<string, Figures>();
  for (const recipe of recipes.filter(({ name }) => name.includes(only))) {
    const missing = recipe.unavailable?.();
    if (missing !== undefined) {
      console.log(`SKIPPED  ${recipe.name}: ${missing}`);
      continue;
    }
    const figures = noFigures();
    const start = performance.now();
    await recipe.run({ driver, scale, random: randomNumbers(seed) }, figures).catch((error: unknown) => {
      figures.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
    all.set(recipe.name, figures);
    console.log(
      `${isGood(figures) ? 'ok      ' : 'FAILED  '} ${recipe.name} (${((performance.now() - start) / 1000).toFixed(1)} s)`,
    );
    for (const fault of figures.faults.slice(0, 5)) console.log(`         ${fault}`);
  }
  console.log(`\nseed ${seed}`);
  console.table(
    Object.fromEntries(
      [...all].map(([name, { faults, ...figures }]) => [name, { ...figures, faults: faults.length }]),
    ),
  );
  return [...all.values()].every(isGood);
}

function isGood({ lost, damaged, duplicates, faults }: Figures): boolean {
  return lost + damaged + duplicates + faults.length === 0;
}

process.exitCode = (await campaign()) ? 0 : 1;
