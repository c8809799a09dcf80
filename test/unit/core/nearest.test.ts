import { expect, test } from 'vitest';
import { nearest } from '../../../src/core/nearest.js';

const known = ['read_file', 'write_file', 'list_files', 'search_text', 'run_command', 'read', 'edit'];

test.each([
  ['readfile', ['read_file']],
  ['raed', ['read']],
  ['run_comand', ['run_command']],
  ['Write-File', ['write_file']],
  ['search_txet', ['search_text']],
  ['teleport', []],
  ['x', []],
  ['x'.repeat(100_000), []],
])('%s was probably meant to be %j', (name, meant) => {
  expect(nearest(name, known)).toEqual(meant);
});
