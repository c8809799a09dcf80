import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** Where editors of this family keep it, below their own folder: packed or not, for one system or for all. */
const PLACES = [
  'node_modules/@vscode/ripgrep/bin',
  'node_modules.asar.unpacked/@vscode/ripgrep/bin',
  `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`,
  `node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`,
];

/** The path of the ripgrep that the editor ships; '' where none is found. */
export function shippedRipgrep(): string {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return PLACES.map((place) => join(vscode.env.appRoot, place, name)).find(existsSync) ?? '';
}
