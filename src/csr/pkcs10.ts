import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { computeSha256 } from '../platform/text.ts';

/** One element of DER: its tag, its content, and all its bytes (header included). */
interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

const DER_TAGS = {
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

/** Thrown for bytes that are not a valid certificate request. */
export class DerError extends Error {}

/**
 * Reads the elements that fill `bytes` exactly. Strict (X.690 §10, §11): definite lengths in their shortest form only,
 * tags of one byte, nothing left over.
 * @throws DerError
 */
function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const element = readElementAt(bytes, offset);
    elements.push(element);
    offset += element.bytes.length;
  }
  return elements;
}

/** Reads the one element that fills `bytes`. @throws DerError for several elements, or another tag */
function readElement(bytes: Uint8Array, tag: number): DerElement {
  const [element, ...rest] = readElements(bytes);
  if (!element || rest.length > 0 || element.tag !== tag) throw new DerError(`expected one element of tag ${tag}`);
  return element;
}

/** Reads the elements in a SEQUENCE, SET or tagged element. @throws DerError for another tag */
function readChildren(element: DerElement | undefined, tag: number): DerElement[] {
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
  if (offset + length > bytes.length) throw new DerError('an element longer than its container');
  return { tag, content: bytes.subarray(offset, offset + length), bytes: bytes.subarray(start, offset + length) };
}

function readByte(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new DerError('unexpected end of the data');
  return byte;
}

/** Reads an object identifier: `1.2.840.113549.1.9.14`. Each arc must be in its shortest form. */
function readOid(element: DerElement | undefined): string {
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
  if (!isStart) throw new DerError('an object identifier that is cut off');
  // The first two arcs share one number (X.690 §8.19.4).
  const [firstTwoArcs = 0, ...rest] = arcs;
  const firstArc = Math.min(2, Math.floor(firstTwoArcs / 40));
  return [firstArc, firstTwoArcs - firstArc * 40, ...rest].join('.');
}

/** Reads the bytes of a BIT STRING of whole bytes. */
function readBitString(element: DerElement | undefined): Uint8Array {
  if (element?.tag !== DER_TAGS.bitString || element.content[0] !== 0)
    throw new DerError('expected a string of whole bytes');
  return element.content.subarray(1);
}

/**
 * Reads the text of a name. Only UTF8String and PrintableString, as Go writes them, and IA5String: BMPString and
 * T61String can hide their content.
 */
function readText(element: DerElement | undefined): string {
  if (!element) throw new DerError('expected a text');
  if (element.tag === DER_TAGS.utf8String) return decodeUtf8(element.content);
  if (element.tag === DER_TAGS.printableString || element.tag === DER_TAGS.ia5String) return readAscii(element.content);
  throw new DerError(`a text of tag ${element.tag}`);
}

/**
 * Reads the text of a string type that holds ASCII only.
 * @throws DerError for any other byte
 */
function readAscii(content: Uint8Array): string {
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

/** A PKCS#10 request (RFC 2986) as parsed by the strict reader. */
export interface Pkcs10 {
  /** The relative distinguished names (RDNs) in order, each with its attributes. */
  readonly subject: readonly (readonly { readonly oid: string; readonly text: string }[])[];
  /** The names of the subjectAltName extension; null if the request has none. */
  readonly altNames: readonly AltName[] | null;
  /** Whether it has extensions or attributes other than the one subjectAltName. */
  readonly hasOtherExtensions: boolean;
  readonly key: PublicKeyInfo;
  /** Whether the request is signed with its own key, which proves that the sender owns the key. */
  readonly isSignatureValid: boolean;
}

/** One name of the subjectAltName extension. */
export interface AltName {
  readonly kind: 'dns' | 'ip' | 'email' | 'uri' | 'other';
  /** IPv6 in its canonical form. Empty for `other`. */
  readonly text: string;
}

interface PublicKeyInfo {
  /** SHA-256 of the key's canonical SubjectPublicKeyInfo, hexadecimal; independent of how the key was encoded. */
  readonly fingerprint: string;
  readonly isStrong: boolean;
  /** For display: `EC P-256`, `RSA 2048`, … */
  readonly label: string;
}

/** The object identifiers that the policy reads. */
export const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAltName: '2.5.29.17',
} as const;

/** The largest request that is read, in bytes of PEM. A kubelet's is below 1 KiB. */
const MAX_PEM_BYTES = 16 * 1024;
const PEM_BLOCK =
  /^-----BEGIN CERTIFICATE REQUEST-----\n((?:[A-Za-z0-9+/]{1,76}={0,2}\n)+)-----END CERTIFICATE REQUEST-----\n?$/;

/**
 * Parses the `spec.request` of a CertificateSigningRequest: base64 of exactly one PEM block, without bytes left over in
 * its DER. Rejects everything that two parsers could read differently.
 * @throws DerError
 */
export function parsePkcs10(base64: string): Pkcs10 {
  const pem = decodeBase64(base64, MAX_PEM_BYTES).toString('latin1');
  const body = PEM_BLOCK.exec(pem)?.[1];
  if (body === undefined) throw new DerError('not one PEM block');
  const der = decodeBase64(body.replaceAll('\n', ''), MAX_PEM_BYTES);
  const [info, algorithm, signature, ...rest] = readChildren(readElement(der, DER_TAGS.sequence), DER_TAGS.sequence);
  if (!info || !algorithm || !signature || rest.length > 0) throw new DerError('not a certificate request');
  const [version, subject, spki, attributes, ...more] = readChildren(info, DER_TAGS.sequence);
  if (
    version?.tag !== DER_TAGS.integer ||
    version.content.length !== 1 ||
    version.content[0] !== 0 ||
    more.length > 0
  ) {
    throw new DerError('not a request of version 1');
  }
  if (spki?.tag !== DER_TAGS.sequence) throw new DerError('no public key');
  const key = readKey(spki.bytes);
  return {
    subject: readChildren(subject, DER_TAGS.sequence).map(readRelativeDistinguishedName),
    ...readAttributes(attributes),
    key: describeKey(key, spki.bytes),
    isSignatureValid: key !== null && isSignatureValid(key, algorithm, info.bytes, readBitString(signature)),
  };
}

function decodeBase64(text: string, limit: number): Buffer {
  // Base64 is a third longer than its bytes: a text beyond this limit is not even decoded.
  if (text.length > limit * 1.5) throw new DerError('too large');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new DerError('not canonical base64');
  if (bytes.length > limit) throw new DerError('too large');
  return bytes;
}

function readRelativeDistinguishedName(set: DerElement): { oid: string; text: string }[] {
  return readChildren(set, DER_TAGS.set).map((pair) => {
    const [oid, text, ...rest] = readChildren(pair, DER_TAGS.sequence);
    if (rest.length > 0) throw new DerError('a name of more than two parts');
    return { oid: readOid(oid), text: readText(text) };
  });
}

function readAttributes(attributes: DerElement | undefined): Pick<Pkcs10, 'altNames' | 'hasOtherExtensions'> {
  if (!attributes) throw new DerError('no attributes field');
  const entries = readChildren(attributes, 0xa0).map((attribute) => {
    const [oid, values, ...rest] = readChildren(attribute, DER_TAGS.sequence);
    if (rest.length > 0) throw new DerError('an attribute of more than two parts');
    return { oid: readOid(oid), values: readChildren(values, DER_TAGS.set) };
  });
  rejectDuplicates(entries.map(({ oid }) => oid));
  const extensionRequest = entries.find(({ oid }) => oid === OID.extensionRequest);
  if (!extensionRequest) return { altNames: null, hasOtherExtensions: entries.length > 0 };
  const [list, ...otherLists] = extensionRequest.values;
  if (otherLists.length > 0) throw new DerError('two lists of extensions');
  const extensions = readChildren(list, DER_TAGS.sequence).map(readExtension);
  rejectDuplicates(extensions.map(({ oid }) => oid));
  const altNameExtension = extensions.find(({ oid }) => oid === OID.subjectAltName);
  return {
    altNames: altNameExtension
      ? readChildren(readElement(altNameExtension.value, DER_TAGS.sequence), DER_TAGS.sequence).map(readAltName)
      : null,
    hasOtherExtensions: entries.length > 1 || extensions.some(({ oid }) => oid !== OID.subjectAltName),
  };
}

function readExtension(extension: DerElement): { oid: string; value: Uint8Array } {
  const parts = readChildren(extension, DER_TAGS.sequence);
  const critical = parts[1]?.tag === DER_TAGS.boolean ? parts[1] : null;
  // DER omits defaults: a `critical` that is present must be true, and true is 0xff.
  if (critical && (critical.content.length !== 1 || critical.content[0] !== 0xff))
    throw new DerError('a critical flag that DER does not allow');
  const value = parts[critical ? 2 : 1];
  if (parts.length !== (critical ? 3 : 2) || value?.tag !== DER_TAGS.octetString)
    throw new DerError('not an extension');
  return { oid: readOid(parts[0]), value: value.content };
}

function rejectDuplicates(oids: readonly string[]): void {
  if (new Set(oids).size !== oids.length) throw new DerError('the same attribute twice');
}

/** Reads one GeneralName (RFC 5280 §4.2.1.6): context tags 1 e-mail, 2 DNS, 6 URI, 7 address. */
function readAltName({ tag, content }: DerElement): AltName {
  switch (tag) {
    case 0x81:
      return { kind: 'email', text: readAscii(content) };
    case 0x82:
      return { kind: 'dns', text: readAscii(content) };
    case 0x86:
      return { kind: 'uri', text: readAscii(content) };
    case 0x87:
      return { kind: 'ip', text: readAddress(content) };
    default:
      return { kind: 'other', text: '' };
  }
}

function readAddress(content: Uint8Array): string {
  if (content.length === 4) return content.join('.');
  if (content.length !== 16) throw new DerError('an address of neither 4 nor 16 bytes');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((content[2 * index] ?? 0) << 8) | (content[2 * index + 1] ?? 0)).toString(16),
  );
  return canonicalizeAddress(groups.join(':'));
}

/**
 * Returns IPv6 in lower case and compressed, as the URL standard writes it. IPv4 and addresses with a zone (`%`) stay
 * unchanged.
 */
export function canonicalizeAddress(address: string): string {
  return isIPv6(address) && !address.includes('%') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function readKey(spki: Uint8Array): KeyObject | null {
  // Parsed strictly before OpenSSL reads it.
  readElements(readElement(spki, DER_TAGS.sequence).content);
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/**
 * Describes a key. Strong keys: EC P-256 (which kubelets create today), P-384 and P-521, RSA of 2048 to 8192 bits
 * with exponent 65537, Ed25519 and ML-DSA. To accept a new curve, add it to `CURVES`.
 */
function describeKey(key: KeyObject | null, spki: Uint8Array): PublicKeyInfo {
  const { namedCurve = '', modulusLength = 0, publicExponent = 0n } = key?.asymmetricKeyDetails ?? {};
  const type = key?.asymmetricKeyType ?? 'unknown';
  const fingerprint = computeSha256(key ? canonicalizeKey(key, spki) : spki);
  if (type === 'ec') {
    return { fingerprint, isStrong: namedCurve in CURVES, label: `EC ${CURVES[namedCurve] ?? namedCurve}` };
  }
  if (type === 'rsa') {
    const isStrong = modulusLength >= 2048 && modulusLength <= 8192 && publicExponent === 65537n;
    return { fingerprint, isStrong, label: `RSA ${modulusLength}, exponent ${publicExponent}` };
  }
  return { fingerprint, isStrong: type === 'ed25519' || type.startsWith('ml-dsa-'), label: type };
}

/**
 * Returns the key as canonical SubjectPublicKeyInfo, as `openssl pkey -pubout -outform DER` prints it. A compressed
 * point becomes an uncompressed one.
 */
function canonicalizeKey(key: KeyObject, spki: Uint8Array): Uint8Array {
  const form = { format: 'der', type: 'spki' } as const;
  if (key.asymmetricKeyType !== 'ec') return key.export(form);
  // The usual form, which kubelets send, needs no conversion.
  if (isUncompressedPoint(spki)) return spki;
  try {
    return createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).export(form);
  } catch {
    // A curve that is refused anyway.
    return spki;
  }
}

/** Whether the key has a named curve and both coordinates of its point. */
function isUncompressedPoint(spki: Uint8Array): boolean {
  const [algorithm, point] = readChildren(readElement(spki, DER_TAGS.sequence), DER_TAGS.sequence);
  const [, curve] = readChildren(algorithm, DER_TAGS.sequence);
  return curve?.tag === DER_TAGS.oid && readBitString(point)[0] === 4;
}

/** Signature algorithm (OID) -> its key type and digest; a null digest is implied by the algorithm. */
const SIGNATURE_ALGORITHMS: Readonly<Record<string, { readonly keyType: string; readonly digest: string | null }>> = {
  '1.2.840.10045.4.3.2': { keyType: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { keyType: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { keyType: 'ec', digest: 'sha512' },
  '1.2.840.113549.1.1.11': { keyType: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { keyType: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { keyType: 'rsa', digest: 'sha512' },
  '1.3.101.112': { keyType: 'ed25519', digest: null },
  '2.16.840.1.101.3.4.3.17': { keyType: 'ml-dsa-44', digest: null },
  '2.16.840.1.101.3.4.3.18': { keyType: 'ml-dsa-65', digest: null },
  '2.16.840.1.101.3.4.3.19': { keyType: 'ml-dsa-87', digest: null },
};

function isSignatureValid(
  key: KeyObject,
  algorithm: DerElement,
  signedBytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const signatureAlgorithm = SIGNATURE_ALGORITHMS[readOid(readChildren(algorithm, DER_TAGS.sequence)[0])];
  if (!signatureAlgorithm || signatureAlgorithm.keyType !== key.asymmetricKeyType) return false;
  try {
    return verify(signatureAlgorithm.digest, signedBytes, { key, dsaEncoding: 'der' }, signature);
  } catch {
    return false;
  }
}
