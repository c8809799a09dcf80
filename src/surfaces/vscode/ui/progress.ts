import * as vscode from 'vscode';
import type { Report } from '../../../app/ports/dialogs.js';
import { Cancelled } from '../../../app/userError.js';
import type { PlainText } from '../../../app/text/plainText.js';

/** Runs long work under a notification; pressing Cancel aborts the signal with {@link Cancelled}. */
export async function withProgress<T>(
  title: PlainText,
  work: (signal: AbortSignal, report: Report) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const controller = new AbortController();
    const listener = token.onCancellationRequested(() => controller.abort(new Cancelled()));
    try {
      return await work(controller.signal, (message, increment) =>
        progress.report({ message, ...(increment !== undefined && { increment }) }),
      );
    } finally {
      listener.dispose();
    }
  });
}

/** Runs work under the line of progress of a view. */
export function progressIn(viewId: string, work: () => Promise<void>): PromiseLike<void> {
  return vscode.window.withProgress({ location: { viewId } }, work);
}
