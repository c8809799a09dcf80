import { crc32, deflateSync } from 'node:zlib';

/**
 * A square picture that cannot be compressed, the same each time: about three bytes for each of its pixels.
 * @param {number} side in pixels
 * @returns {Buffer} a PNG file
 */
export function noisePng(side) {
  const rows = Buffer.alloc(side * (3 * side + 1));
  let state = 1;
  for (let at = 0; at < rows.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Each row begins with the number of its filter, of which 0 is none.
    rows[at] = at % (3 * side + 1) === 0 ? 0 : state >>> 24;
  }
  const header = Buffer.from([0, 0, side >> 8, side & 255, 0, 0, side >> 8, side & 255, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const content = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([uint32(data.length), content, uint32(crc32(content))]);
}

/** @param {number} value */
function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
