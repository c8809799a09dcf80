import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { t } from '../../core/l10n.js';
import { GitFailed, keptTexts } from '../../provenance/git.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import { STAMP, STAMPED, type AnchorTexts, type EarlierHead } from '../../store/write/sealReport.js';
import type { SealStamp } from '../text/sealWords.js';
import { UserError } from '../userError.js';

/** It is not waited for openssl any longer, in milliseconds. */
const MAX_MS = 60_000;

/** The object identifier of SHA-256, in DER. */
export const SHA256 = Buffer.from('0609608648016503040201', 'hex');
/** That of what a timestamp says. */
const TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex');

/** The parts of DER in a text of bytes, each with its tag; throws where it is none. */
function derIn(bytes: Buffer): readonly { readonly tag: number; readonly value: Buffer }[] {
  const parts: { tag: number; value: Buffer }[] = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
    const more = first < 0x80 ? 0 : first - 0x80;
    if (more > 4 || at + 2 + more > bytes.length) throw new Error('no DER');
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    const from = at + 2 + more;
    if (from + length > bytes.length) throw new Error('no DER');
    parts.push({ tag, value: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return parts;
}

/** What a granted timestamp says; undefined where it is none. Its signature is not checked. */
export function readStamp(
  answer: Buffer,
): { readonly hash: Buffer; readonly time: number; readonly text: Buffer } | undefined {
  try {
    const [status, token] = derIn(derIn(answer)[0]?.value ?? answer);
    const granted = derIn(status?.value ?? Buffer.alloc(0))[0]?.value[0];
    if (granted !== 0 && granted !== 1) return undefined;
    // The signed data hold what is signed behind its kind.
    const content = derIn(
      derIn(derIn(token?.value ?? Buffer.alloc(0))[1]?.value ?? Buffer.alloc(0))[0]?.value ?? Buffer.alloc(0),
    );
    const signed = content.find(
      ({ tag, value }) => tag === 0x30 && value.subarray(0, TST_INFO.length).equals(TST_INFO),
    );
    const text = derIn(derIn(signed?.value ?? Buffer.alloc(0))[1]?.value ?? Buffer.alloc(0))[0]?.value;
    const [, , imprint, , when] = derIn(derIn(text ?? Buffer.alloc(0))[0]?.value ?? Buffer.alloc(0));
    const [kind, hash] = derIn(imprint?.value ?? Buffer.alloc(0));
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(when?.value.toString('latin1') ?? '') ?? [];
    if (
      !text ||
      !hash ||
      kind?.value.subarray(0, SHA256.length).equals(SHA256) !== true ||
      year === undefined
    )
      return undefined;
    const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return Number.isNaN(time) ? undefined : { hash: hash.value, time, text };
  } catch {
    return undefined;
  }
}

/**
 * The timestamp that is kept of a conversation. `authorities`: the absolute path of a file with certificates, by one of which it is
 * to be. Rejects with a UserError where these are named and openssl, which checks them, is not here.
 */
export async function stampOf(
  { folder }: ConversationPaths,
  head: EarlierHead,
  authorities: string | undefined,
  signal: AbortSignal,
): Promise<SealStamp> {
  const [text, answer] = [
    await readFile(join(folder, STAMPED)),
    await readFile(join(folder, STAMP)).catch(() => undefined),
  ];
  const said = answer && readStamp(answer);
  const isOfHead = said?.hash.equals(createHash('sha256').update(text).digest()) === true;
  const isVerified =
    authorities === undefined ? undefined : isOfHead && (await isByOneOf(authorities, folder, signal));
  return {
    ...head,
    ...(said && { time: said.time }),
    isOfHead,
    ...(isVerified !== undefined && { isVerified }),
  };
}

function isByOneOf(authorities: string, folder: string, signal: AbortSignal): Promise<boolean> {
  const files = ['-data', join(folder, STAMPED), '-in', join(folder, STAMP), '-CAfile', authorities];
  return new Promise((done, fail) => {
    execFile(
      'openssl',
      ['ts', '-verify', ...files],
      { signal, timeout: MAX_MS, windowsHide: true },
      (error) => {
        if (error?.code === 'ENOENT')
          fail(
            new UserError(
              t`A timestamp is checked by openssl, which is not installed here; without authorities it is only read.`,
            ),
          );
        else done(!error);
      },
    );
  });
}

/**
 * The heads in a file at an absolute path, with what git knows of it: what is pushed counts also where it was taken out of the file.
 * `name` is what a person calls it. Rejects with a UserError where git fails.
 */
export async function anchorsIn(
  { text, path, name }: { readonly text: string; readonly path: string; readonly name: string },
  signal: AbortSignal,
): Promise<AnchorTexts> {
  try {
    return { text, ...(await keptTexts(path, signal)) };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new UserError(t`Git could not tell whether ${name} is pushed: ${error.message}`);
  }
}
