import { counters } from './counters.js';

/** Prints how long a counter takes from nothing to its first count, and what it then holds in memory. */
const [name = ''] = process.argv.slice(2);
global.gc?.();
const before = process.memoryUsage();
const start = performance.now();
const count = await counters[name]!();
count('hello world');
const milliseconds = performance.now() - start;
global.gc?.();
const after = process.memoryUsage();
const megabytes = (key: 'heapUsed' | 'external') => (after[key] - before[key]) / 1e6;
console.log(JSON.stringify({ milliseconds, heap: megabytes('heapUsed'), outside: megabytes('external') }));
count('so that it is not collected');
