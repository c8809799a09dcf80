import * as vscode from 'vscode';
import { Cancelled } from './userError.js';

/** Tells how far the work is, in words, and which share of the whole was done since it was told last, in percent. */
export type Report = (message: string, increment?: number) => void;

/** Does something that takes long under a notification; pressing Cancel aborts the signal with {@link Cancelled}. */
export async function withProgress<T>(
  title: string,
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
