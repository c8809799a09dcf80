import * as vscode from 'vscode';
import { sessionToolNames } from '../../../app/manifest.js';
import type * as asking from './asking.js';

/** Registers the tools with which models of VS Code read recorded sessions; what answers is loaded with the first call. */
export function sessionTools(load: () => Promise<asking.Asking>): vscode.Disposable {
  return vscode.Disposable.from(
    ...sessionToolNames.map((name) =>
      vscode.lm.registerTool<unknown>(name, {
        prepareInvocation: async ({ input }) => (await load()).prepare(name, input),
        invoke: async ({ input, tokenizationOptions }, token) =>
          (await load()).invoke(name, input, tokenizationOptions?.tokenBudget, token),
      }),
    ),
  );
}
