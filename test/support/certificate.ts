import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate that vouches for itself, and its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate for a host, written as X.509 has it; Node can only read them. */
export function certificateFor(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = sequence(
    explicit(0, integer(2)),
    integer(1),
    ECDSA_SHA256,
    named(host),
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    named(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(alternativeName(host), authority())),
  );
  const whole = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, privateKey)));
  return { certificate: pem('CERTIFICATE', whole), key: keyOf(privateKey) };
}

function keyOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pem(what: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${what}-----`, ...lines, `-----END ${what}-----`, ''].join('\n');
}

/** A value of ASN.1 in DER. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const explicit = (number: number, content: Buffer) => der(0xa0 + number, content);
const time = (text: string) => der(0x18, Buffer.from(text));
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const named = (host: string) => sequence(der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(host)))));
const alternativeName = (host: string) =>
  sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(der(0x82, Buffer.from(host)))));
const authority = () => sequence(oid(0x55, 0x1d, 0x13), der(0x04, sequence(der(0x01, Buffer.from([255])))));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
