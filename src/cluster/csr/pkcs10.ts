import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isIPv6 } from 'node:net';
import {
  childrenOf,
  type Der,
  DerError,
  readAll,
  readAscii,
  readBits,
  readOid,
  readOne,
  readText,
  TAG,
} from './der.ts';

/** A PKCS#10 request (RFC 2986) after the strict reader. */
export interface Pkcs10 {
  /** The relative distinguished names in order; each with its attributes. */
  readonly subject: readonly (readonly { readonly oid: string; readonly text: string }[])[];
  /** The names of the subjectAltName extension; null when the request has none. */
  readonly names: readonly AltName[] | null;
  /** It has extensions or attributes beyond the one subjectAltName. */
  readonly hasMore: boolean;
  readonly key: KeyFacts;
  /** The request is signed with its own key: the sender has it. */
  readonly isSigned: boolean;
}

export interface AltName {
  readonly kind: 'dns' | 'ip' | 'email' | 'uri' | 'other';
  /** IPv6 in its canonical form. Empty for `other`. */
  readonly text: string;
}

export interface KeyFacts {
  /** SHA-256 of the key's SubjectPublicKeyInfo, the same however the key was encoded; hexadecimal. */
  readonly fingerprint: string;
  readonly isStrong: boolean;
  /** `EC P-256`, `RSA 2048`, … for the person. */
  readonly words: string;
}

export const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAltName: '2.5.29.17',
} as const;

/** The largest request that is read, in bytes of PEM. A kubelet's is below 1 KiB. */
const SIZE_LIMIT = 16 * 1024;
const ARMOUR =
  /^-----BEGIN CERTIFICATE REQUEST-----\n((?:[A-Za-z0-9+/]{1,76}={0,2}\n)+)-----END CERTIFICATE REQUEST-----\n?$/;

/**
 * Reads the `spec.request` of a CertificateSigningRequest: base64 of exactly one PEM block whose DER is used up to the last
 * byte. Refuses whatever two readers could read differently.
 * @throws DerError
 */
export function readPkcs10(base64: string): Pkcs10 {
  const pem = decodeBase64(base64, SIZE_LIMIT).toString('latin1');
  const body = ARMOUR.exec(pem)?.[1];
  if (body === undefined) throw new DerError('not one PEM block');
  const der = decodeBase64(body.replaceAll('\n', ''), SIZE_LIMIT);
  const [info, algorithm, signature, ...rest] = childrenOf(readOne(der, TAG.sequence), TAG.sequence);
  if (!info || !algorithm || !signature || rest.length > 0) throw new DerError('not a certificate request');
  const [version, subject, spki, attributes, ...more] = childrenOf(info, TAG.sequence);
  if (version?.tag !== TAG.integer || version.content.length !== 1 || version.content[0] !== 0 || more.length > 0) {
    throw new DerError('not a request of version 1');
  }
  if (spki?.tag !== TAG.sequence) throw new DerError('no public key');
  const key = readKey(spki.bytes);
  return {
    subject: childrenOf(subject, TAG.sequence).map(readRelativeName),
    ...readAttributes(attributes),
    key: keyFacts(key, spki.bytes),
    isSigned: key !== null && isSigned(key, algorithm, info.bytes, readBits(signature)),
  };
}

function decodeBase64(text: string, limit: number): Buffer {
  // Room for a third more, and for the line ends and dashes of PEM.
  if (text.length > limit * 1.5) throw new DerError('too large');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new DerError('not base64 in its one form');
  if (bytes.length > limit) throw new DerError('too large');
  return bytes;
}

function readRelativeName(set: Der): { oid: string; text: string }[] {
  return childrenOf(set, TAG.set).map((pair) => {
    const [oid, text, ...rest] = childrenOf(pair, TAG.sequence);
    if (rest.length > 0) throw new DerError('a name of more than two parts');
    return { oid: readOid(oid), text: readText(text) };
  });
}

function readAttributes(attributes: Der | undefined): Pick<Pkcs10, 'names' | 'hasMore'> {
  if (!attributes) throw new DerError('no attributes field');
  const entries = childrenOf(attributes, 0xa0).map((attribute) => {
    const [oid, values, ...rest] = childrenOf(attribute, TAG.sequence);
    if (rest.length > 0) throw new DerError('an attribute of more than two parts');
    return { oid: readOid(oid), values: childrenOf(values, TAG.set) };
  });
  refuseTwice(entries.map(({ oid }) => oid));
  const requested = entries.find(({ oid }) => oid === OID.extensionRequest);
  if (!requested) return { names: null, hasMore: entries.length > 0 };
  const [list, ...others] = requested.values;
  if (others.length > 0) throw new DerError('two lists of extensions');
  const extensions = childrenOf(list, TAG.sequence).map(readExtension);
  refuseTwice(extensions.map(({ oid }) => oid));
  const alt = extensions.find(({ oid }) => oid === OID.subjectAltName);
  return {
    names: alt ? childrenOf(readOne(alt.value, TAG.sequence), TAG.sequence).map(readAltName) : null,
    hasMore: entries.length > 1 || extensions.some(({ oid }) => oid !== OID.subjectAltName),
  };
}

function readExtension(extension: Der): { oid: string; value: Uint8Array } {
  const parts = childrenOf(extension, TAG.sequence);
  const critical = parts[1]?.tag === TAG.boolean ? parts[1] : null;
  // DER omits defaults: a `critical` that is present must be true, and true is 0xff.
  if (critical && (critical.content.length !== 1 || critical.content[0] !== 0xff))
    throw new DerError('a loose boolean');
  const value = parts[critical ? 2 : 1];
  if (parts.length !== (critical ? 3 : 2) || value?.tag !== TAG.octetString) throw new DerError('not an extension');
  return { oid: readOid(parts[0]), value: value.content };
}

function refuseTwice(oids: readonly string[]): void {
  if (new Set(oids).size !== oids.length) throw new DerError('the same attribute twice');
}

/** One GeneralName (RFC 5280 §4.2.1.6): context tags 1 e-mail, 2 DNS, 6 URI, 7 address. */
function readAltName({ tag, content }: Der): AltName {
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
  return canonicalAddress(groups.join(':'));
}

/** IPv6 lower-case and compressed, as the URL standard writes it; IPv4, and what belongs to one interface (`%`), as it is. */
export function canonicalAddress(address: string): string {
  return isIPv6(address) && !address.includes('%') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function readKey(spki: Uint8Array): KeyObject | null {
  // Parsed strictly before OpenSSL sees it.
  readAll(readOne(spki, TAG.sequence).content);
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** The keys that we accept: what a kubelet makes today (EC P-256) and what is as good. Data: a new kind is one line. */
function keyFacts(key: KeyObject | null, spki: Uint8Array): KeyFacts {
  const { namedCurve = '', modulusLength = 0, publicExponent = 0n } = key?.asymmetricKeyDetails ?? {};
  const type = key?.asymmetricKeyType ?? 'unknown';
  const fingerprint = createHash('sha256')
    .update(key ? canonicalKey(key, spki) : spki)
    .digest('hex');
  if (type === 'ec') {
    return { fingerprint, isStrong: namedCurve in CURVES, words: `EC ${CURVES[namedCurve] ?? namedCurve}` };
  }
  if (type === 'rsa') {
    const isStrong = modulusLength >= 2048 && modulusLength <= 8192 && publicExponent === 65537n;
    return { fingerprint, isStrong, words: `RSA ${modulusLength}, exponent ${publicExponent}` };
  }
  return { fingerprint, isStrong: type === 'ed25519' || type.startsWith('ml-dsa-'), words: type };
}

/**
 * The key in its canonical form as SubjectPublicKeyInfo, as `openssl pkey -pubout -outform DER` prints it: a compressed
 * point is the same point.
 */
function canonicalKey(key: KeyObject, spki: Uint8Array): Uint8Array {
  const form = { format: 'der', type: 'spki' } as const;
  if (key.asymmetricKeyType !== 'ec') return key.export(form);
  // The usual form, which kubelets send, needs no conversion.
  if (isPlainPoint(spki)) return spki;
  try {
    return createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).export(form);
  } catch {
    // A curve that is refused anyway.
    return spki;
  }
}

/** A named curve, and both coordinates of the point. */
function isPlainPoint(spki: Uint8Array): boolean {
  const [algorithm, point] = childrenOf(readOne(spki, TAG.sequence), TAG.sequence);
  const [, curve] = childrenOf(algorithm, TAG.sequence);
  return curve?.tag === TAG.oid && readBits(point)[0] === 4;
}

/** Signature algorithm -> digest; null where the algorithm implies it. */
const SIGNATURES: Readonly<Record<string, { readonly keyType: string; readonly digest: string | null }>> = {
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

function isSigned(key: KeyObject, algorithm: Der, signed: Uint8Array, signature: Uint8Array): boolean {
  const known = SIGNATURES[readOid(childrenOf(algorithm, TAG.sequence)[0])];
  if (!known || known.keyType !== key.asymmetricKeyType) return false;
  try {
    return verify(known.digest, signed, { key, dsaEncoding: 'der' }, signature);
  } catch {
    return false;
  }
}
