import { basename, dirname, isAbsolute } from 'node:path';
import { RelativePattern, Uri, workspace } from 'vscode';
import type { Disposable } from '../../../core/event.js';
import { setting } from '../settings.js';

const SETTING = 'agentLogbook.prices.file';

/** Tells when a person's own prices may have changed: another file of them, or that file. */
export function followOwnPrices(onChange: () => void): Disposable {
  let watched: Disposable | undefined;
  const watch = () => {
    watched?.dispose();
    const file = setting('prices.file');
    watched = isAbsolute(file) ? watchFile(file, onChange) : undefined;
  };
  watch();
  const following = workspace.onDidChangeConfiguration((change) => {
    if (!change.affectsConfiguration(SETTING)) return;
    watch();
    onChange();
  });
  return {
    dispose: () => {
      following.dispose();
      watched?.dispose();
    },
  };
}

function watchFile(path: string, onChange: () => void): Disposable {
  const watcher = workspace.createFileSystemWatcher(
    new RelativePattern(Uri.file(dirname(path)), basename(path)),
  );
  watcher.onDidCreate(onChange);
  watcher.onDidChange(onChange);
  watcher.onDidDelete(onChange);
  return watcher;
}
