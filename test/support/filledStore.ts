import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordOf, said, temporaryFolder } from './storeFixture.js';

/** A store of so many conversations that some other program has filled, with their folders; in a workspace, or a new one. */
export async function filledStore(many: number, workspace?: string) {
  const root = join(workspace ?? (await temporaryFolder()), '.agent-logbook');
  await mkdir(root);
  await writeFile(join(root, '.logbook'), '{"logbook":1}\n');
  const folders = await Promise.all(
    Array.from({ length: many }, async (_, at) => {
      const id = `c_${at}`;
      const folder = join(root, 'conversations', id);
      await mkdir(folder, { recursive: true });
      const lines = [
        { logbook: 1, conversation: id, created: 1 },
        recordOf(1, said(`Order ${at}`, 'user'), id),
      ];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      // Some end in a half-written line.
      await writeFile(join(folder, 'messages.jsonl'), at % 50 === 0 ? `${text}{"seq":` : text);
      return folder;
    }),
  );
  return { root, folders };
}
