import { counters } from './counters.js';
import { growth, oneLetter } from './hardTexts.js';
import { ordinary, scripts } from './ordinary.js';
import { ready } from './ready.js';
import { thread } from './thread.js';

const { table, names } = await ready(Object.keys(counters));
console.log(`## Tokens\n\n${table}\n`);
console.log(`${await ordinary(names)}\n`);
console.log(`${await scripts(names)}\n`);
console.log(`${await oneLetter(names)}\n`);
console.log(`${await growth('Agent Logbook')}\n`);
console.log(`${await thread()}\n`);
