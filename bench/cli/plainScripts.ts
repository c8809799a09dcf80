/** The least that a list of sessions takes: what is kept of them is parsed, and each journal is looked at. */
export const LIST_PLAINLY = `
const { lstatSync, readFileSync } = require('node:fs');
const { rows } = JSON.parse(readFileSync('.agent-logbook/state/catalog.json', 'utf8'));
let text = '';
for (const [name, { conversation, summary, stamps }] of rows) {
  const { size } = lstatSync('.agent-logbook/conversations/' + name + '/messages.jsonl', { throwIfNoEntry: false }) ?? stamps[0];
  text += conversation + ' ' + summary.messages + ' ' + size + ' ' + summary.title + '\\n';
}
process.stdout.write(text);`;

/** The least that reading a transcript takes: each of its lines is parsed and forgotten. */
export const PARSE_PLAINLY = `
const { createReadStream } = require('node:fs');
const { createInterface } = require('node:readline');
let values = 0;
createInterface({ input: createReadStream(process.argv[1]) })
  .on('line', (line) => { JSON.parse(line); values++; })
  .on('close', () => console.log(values));`;
