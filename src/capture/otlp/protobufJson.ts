import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** How a field's value stands in the JSON encoding. */
type Scalar = 'text' | 'bytes' | 'hex' | 'double' | 'bool' | 'number' | 'int64' | 'time';

/** A field: its name in JSON, what it holds, and whether there may be several. */
interface Field {
  readonly name: string;
  readonly holds: Scalar | (() => MessageType);
  readonly isList: boolean;
}

/** A message of a `.proto` file: its fields by their numbers. */
export interface MessageType {
  readonly name: string;
  readonly fields: ReadonlyMap<number, Field>;
}

/** Declares a message; each field is `[number, name, what it holds]`, with `[…]` around what may occur several times. */
export function messageType(
  name: string,
  ...fields: readonly (readonly [number, string, Field['holds'] | readonly [Field['holds']]])[]
): MessageType {
  return {
    name,
    fields: new Map(
      fields.map(([number, field, holds]) => {
        const isList = typeof holds === 'object';
        return [number, { name: field, holds: isList ? holds[0] : holds, isList }];
      }),
    ),
  };
}

/** How deep messages may lie in each other; the limit of Google's own readers. */
const MAX_DEPTH = 100;

/** What was read: the message in its JSON encoding, and how many fields were left out because nobody here knows them. */
export interface ReadMessage {
  readonly value: JsonMessage;
  readonly unknownFields: number;
}

/** A message in the JSON encoding of OTLP. */
export type JsonMessage = Record<string, unknown>;

/**
 * Reads a message from its protobuf encoding into OTLP's JSON encoding: names in lowerCamelCase, ids in hexadecimal, 64-bit
 * integers as text, other bytes in Base64, enumerations as numbers. Throws a `RangeError` or `Error` where the bytes are no
 * such message; nothing is read beyond the end of the message that holds it.
 */
export function readMessage(type: MessageType, bytes: Uint8Array): ReadMessage {
  const reading = { unknownFields: 0 };
  const value = readFields(type, new BinaryReader(bytes), bytes.length, { reading, depth: 0 });
  return { value, unknownFields: reading.unknownFields };
}

interface Nesting {
  readonly reading: { unknownFields: number };
  readonly depth: number;
}

function readFields(type: MessageType, reader: BinaryReader, end: number, nesting: Nesting): JsonMessage {
  if (nesting.depth > MAX_DEPTH)
    throw new RangeError(`Its messages lie more than ${MAX_DEPTH} deep in each other.`);
  const value: JsonMessage = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = type.fields.get(number);
    if (!field) {
      nesting.reading.unknownFields += 1;
      reader.skip(wireType, number);
    } else if (typeof field.holds === 'function') {
      const inner = readInner(field.holds(), reader, wireType, end, nesting);
      if (field.isList) listIn(value, field.name).push(inner);
      else value[field.name] = inner;
    } else if (field.isList && wireType === WireType.LengthDelimited && isPackable(field.holds)) {
      const until = innerEnd(reader, end);
      while (reader.pos < until) listIn(value, field.name).push(readScalar(field.holds, reader, undefined));
      if (reader.pos !== until)
        throw new RangeError(`A list in ${type.name} ends in the middle of a number.`);
    } else {
      const scalar = readScalar(field.holds, reader, wireType);
      if (field.isList) listIn(value, field.name).push(scalar);
      else value[field.name] = scalar;
    }
  }
  if (reader.pos !== end) throw new RangeError(`${type.name} ends in the middle of a field.`);
  return value;
}

function readInner(
  type: MessageType,
  reader: BinaryReader,
  wireType: WireType,
  end: number,
  { reading, depth }: Nesting,
): JsonMessage {
  if (wireType !== WireType.LengthDelimited)
    throw new RangeError(`${type.name} stands in a field of another type.`);
  return readFields(type, reader, innerEnd(reader, end), { reading, depth: depth + 1 });
}

/** Where a message or a list ends that begins here with its length. */
function innerEnd(reader: BinaryReader, end: number): number {
  const length = reader.uint32();
  if (reader.pos + length > end) throw new RangeError('A length reaches beyond the end of the message.');
  return reader.pos + length;
}

function listIn(value: JsonMessage, name: string): unknown[] {
  return (value[name] ??= []) as unknown[];
}

const WIRE_TYPES: Readonly<Record<Scalar, readonly WireType[]>> = {
  text: [WireType.LengthDelimited],
  bytes: [WireType.LengthDelimited],
  hex: [WireType.LengthDelimited],
  double: [WireType.Bit64],
  time: [WireType.Bit64],
  bool: [WireType.Varint],
  int64: [WireType.Varint],
  number: [WireType.Varint, WireType.Bit32],
};

function isPackable(scalar: Scalar): boolean {
  return !WIRE_TYPES[scalar].includes(WireType.LengthDelimited);
}

/** `wireType` is undefined within a packed list, which tells it once for all. */
function readScalar(scalar: Scalar, reader: BinaryReader, wireType: WireType | undefined): unknown {
  const [usual] = WIRE_TYPES[scalar];
  if (wireType !== undefined && !WIRE_TYPES[scalar].includes(wireType))
    throw new RangeError('A field has the wire type of another one.');
  switch (scalar) {
    case 'text':
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'hex':
      return Buffer.from(reader.bytes()).toString('hex');
    case 'double':
      return doubleOf(reader.double());
    case 'time':
      return String(reader.fixed64());
    case 'bool':
      return reader.bool();
    case 'int64':
      return String(reader.int64());
    case 'number':
      return (wireType ?? usual) === WireType.Bit32 ? reader.fixed32() : reader.uint32();
  }
}

/** A number as JSON can hold it; protobuf's JSON writes the others as words. */
function doubleOf(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
