/** One element of DER: its tag, its content, and all its bytes (header included). */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

export const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The bytes are no valid request. */
export class DerError extends Error {}

/**
 * Reads the elements that fill `bytes` exactly. Strict (X.690 §10, §11): definite lengths in their shortest form only,
 * tags of one byte, nothing left over.
 * @throws DerError
 */
export function readElements(bytes: Uint8Array): DerElement[] {
  const found: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const element = readElementAt(bytes, offset);
    found.push(element);
    offset += element.bytes.length;
  }
  return found;
}

/** Reads the one element that fills `bytes`. @throws DerError for several elements, or another tag */
export function readElement(bytes: Uint8Array, tag: number): DerElement {
  const [element, ...rest] = readElements(bytes);
  if (!element || rest.length > 0 || element.tag !== tag) throw new DerError(`expected one element of tag ${tag}`);
  return element;
}

/** Reads the elements in a SEQUENCE, SET or tagged element. @throws DerError for another tag */
export function readChildren(element: DerElement | undefined, tag: number): DerElement[] {
  if (element?.tag !== tag) throw new DerError(`expected tag ${tag}, found ${element?.tag ?? 'nothing'}`);
  return readElements(element.content);
}

function readElementAt(bytes: Uint8Array, start: number): DerElement {
  const tag = readByte(bytes, start);
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of more than one byte');
  let offset = start + 1;
  let length = readByte(bytes, offset++);
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 3) throw new DerError('an indefinite or enormous length');
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + readByte(bytes, offset++);
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length that is not in its shortest form');
  }
  if (offset + length > bytes.length) throw new DerError('an element longer than what holds it');
  return { tag, content: bytes.subarray(offset, offset + length), bytes: bytes.subarray(start, offset + length) };
}

function readByte(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new DerError('it ends too early');
  return byte;
}

/** `1.2.840.113549.1.9.14`; each arc in its shortest form. */
export function readOid(element: DerElement | undefined): string {
  if (element?.tag !== DER_TAGS.oid || element.content.length === 0)
    throw new DerError('expected an object identifier');
  const arcs: number[] = [];
  let value = 0;
  let isStart = true;
  for (const byte of element.content) {
    if (isStart && byte === 0x80) throw new DerError('an object identifier that is not in its shortest form');
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 256) throw new DerError('an object identifier too large');
    isStart = byte < 0x80;
    if (isStart) {
      arcs.push(value);
      value = 0;
    }
  }
  if (!isStart) throw new DerError('an object identifier that breaks off');
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join('.');
}

/** Reads the bytes of a BIT STRING of whole bytes. */
export function readBitString(element: DerElement | undefined): Uint8Array {
  if (element?.tag !== DER_TAGS.bitString || element.content[0] !== 0)
    throw new DerError('expected a string of whole bytes');
  return element.content.subarray(1);
}

/**
 * Reads the text of a name. Only UTF8String and PrintableString, as Go writes them, and IA5String: BMPString and
 * T61String can hide their content.
 */
export function readText(element: DerElement | undefined): string {
  if (!element) throw new DerError('expected a text');
  if (element.tag === DER_TAGS.utf8String) return decodeUtf8(element.content);
  if (element.tag === DER_TAGS.printableString || element.tag === DER_TAGS.ia5String) return readAscii(element.content);
  throw new DerError(`a text of tag ${element.tag}`);
}

/**
 * The text of a string type that holds ASCII only.
 * @throws DerError for any other byte
 */
export function readAscii(content: Uint8Array): string {
  if (content.some((byte) => byte > 0x7f)) throw new DerError('a text that is not ASCII');
  return String.fromCharCode(...content);
}

function decodeUtf8(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new DerError('a text that is not UTF-8');
  }
}
