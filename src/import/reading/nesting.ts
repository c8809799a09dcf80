const MEBIBYTE = 1024 * 1024;

/** A number of bytes for a person, in MiB from one on. */
export function sizeWords(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.round(bytes / MEBIBYTE).toLocaleString('en-US')} MiB`;
}

/** How deep the JSON of a transcript may nest; real ones stay below 30. */
export const MAX_NESTING = 200;

/** Whether a JSON text nests deeper than `limit`; scans the text without parsing it. */
export function nestsDeeper(json: string, limit = MAX_NESTING): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === 0x22) i = endOfString(json, i);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** The end of the JSON string that starts at `start`; the end of the text where it is not closed. */
function endOfString(json: string, start: number): number {
  for (let i = json.indexOf('"', start + 1); i >= 0; i = json.indexOf('"', i + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(i - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return i;
  }
  return json.length;
}
