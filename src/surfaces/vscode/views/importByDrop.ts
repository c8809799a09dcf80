import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';

/** The MIME type of dropped files of the workspace or this machine, given by URI; the others are given by content. */
const ADDRESSES = 'text/uri-list';

/** Imports transcript files that are dropped on the view. */
export async function importDropped(dropped: vscode.DataTransfer): Promise<void> {
  const addresses = addressesIn((await dropped.get(ADDRESSES)?.asString()) ?? '');
  if (addresses.length > 0) {
    await importFiles(addresses);
    return;
  }
  const files = [...dropped].flatMap(([, item]) => item.asFile() ?? []);
  if (files.length > 0) await importContents(files);
}

function addressesIn(list: string): vscode.Uri[] {
  return list
    .split(/\r?\n/)
    .filter((line) => URL.canParse(line))
    .map((line) => vscode.Uri.parse(line));
}

/** Imports file contents by way of temporary files. */
async function importContents(files: readonly vscode.DataTransferFile[]): Promise<void> {
  const paths: string[] = [];
  try {
    for (const file of files) {
      const path = join(await mkdtemp(join(tmpdir(), 'dropped-')), nameOf(file));
      paths.push(path);
      await writeFile(path, await file.data());
    }
    await importFiles(paths.map((path) => vscode.Uri.file(path)));
  } finally {
    for (const path of paths) {
      await rm(path, { force: true });
      await rmdir(dirname(path));
    }
  }
}

/** The name of a dropped file, made valid on every file system. */
function nameOf({ name }: vscode.DataTransferFile): string {
  return (
    basename(name.replaceAll('\\', '/'))
      .replace(/[^\p{L}\p{N} ._-]/gu, '_')
      .slice(-100) || 'transcript'
  );
}

async function importFiles(files: readonly vscode.Uri[]): Promise<void> {
  await vscode.commands.executeCommand(commandName('importTranscript'), files);
}
