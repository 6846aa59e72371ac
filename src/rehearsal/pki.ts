// The decorators of the ASN.1 library need their metadata registry before anything of it is loaded.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const PRIVATE_KEY = 'PRIVATE KEY';

/** A certificate authority as PEM text: its certificate and its PKCS#8 key. */
export interface CertificateAuthority {
  readonly certPem: string;
  readonly keyPem: string;
}

/** A leaf certificate with its PKCS#8 key. */
export interface IssuedCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** From when until when; a number is milliseconds since the epoch. Seconds are the finest that a certificate holds. */
export interface Validity {
  readonly notBefore: Date | number;
  readonly notAfter: Date | number;
}

/** What a certificate may be used for: serve TLS, or prove who connects. */
export type CertificateUsage = 'server' | 'client';

export interface Subject {
  readonly commonName: string;
  readonly organization?: string | readonly string[];
}

export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Kubernetes never signs these for a node; they exist to make bad requests. */
  readonly emailAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** What a certificate request says, as far as a signer asks. */
export interface RequestContents {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Whether the request was signed with the key that it holds. */
  readonly isSelfSigned: boolean;
}

/** A new self-signed authority with an ECDSA P-256 key. */
export async function createAuthority(commonName: string, validity: Validity): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: subjectName({ commonName }),
    keys,
    signingAlgorithm: SIGNATURE,
    ...dates(validity),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: pem(certificate.toString('pem')), keyPem: await exportKey(keys.privateKey) };
}

/** A new key and a certificate for it, signed by `authority`. */
export async function issueCertificate(
  authority: CertificateAuthority,
  wanted: Subject & AlternativeNames & Validity & { readonly usages: CertificateUsage },
): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const names = alternativeNames(wanted);
  const certPem = await sign(authority, keys.publicKey, subjectName(wanted), names, wanted, wanted.usages);
  return { certPem, keyPem: await exportKey(keys.privateKey) };
}

/**
 * A PKCS#10 request, signed with its own key.
 * @param wanted `key`: a PKCS#8 PEM of an ECDSA P-256 key to use instead of a new one
 */
export async function createRequest(
  wanted: Subject & AlternativeNames & { readonly key?: string },
): Promise<{ requestPem: string; keyPem: string }> {
  const keys = wanted.key === undefined ? await newKeys() : await importKeys(wanted.key);
  const names = alternativeNames(wanted);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subjectName(wanted),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: names ? [names] : [],
  });
  return { requestPem: pem(request.toString('pem')), keyPem: await exportKey(keys.privateKey) };
}

/**
 * The certificate for a request: its subject, alternative names and key, signed by `authority`. Judges nothing.
 * @throws when `requestPem` is not a PKCS#10 request
 */
export async function signRequest(
  authority: CertificateAuthority,
  requestPem: string,
  terms: Validity & { readonly usages: CertificateUsage },
): Promise<string> {
  const request = new Pkcs10CertificateRequest(requestPem);
  const publicKey = await request.publicKey.export();
  const names = request.getExtension(SUBJECT_ALTERNATIVE_NAME);
  return sign(authority, publicKey, request.subjectName, names, terms, terms.usages);
}

/**
 * Reads a PKCS#10 request.
 * @throws when `requestPem` is not exactly one block `CERTIFICATE REQUEST` that can be parsed
 */
export async function readRequest(requestPem: string): Promise<RequestContents> {
  const [block, ...more] = PemConverter.decodeWithHeaders(requestPem);
  if (block?.type !== 'CERTIFICATE REQUEST' || more.length > 0)
    throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const request = new Pkcs10CertificateRequest(block.rawData);
  const names = request.getExtensions(SUBJECT_ALTERNATIVE_NAME).flatMap(namesOf);
  const valuesOf = (type: JsonGeneralName['type']) =>
    names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonNames: request.subjectName.getField('CN'),
    organizations: request.subjectName.getField('O'),
    dnsNames: valuesOf('dns'),
    ipAddresses: valuesOf('ip'),
    emailAddresses: valuesOf('email'),
    uris: valuesOf('url'),
    isSelfSigned: await request.verify(),
  };
}

function namesOf(extension: Extension): JsonGeneralName[] {
  return new SubjectAlternativeNameExtension(extension.rawData).names.toJSON();
}

async function sign(
  authority: CertificateAuthority,
  publicKey: webcrypto.CryptoKey,
  subject: Name,
  names: Extension | null,
  validity: Validity,
  usage: CertificateUsage,
): Promise<string> {
  const issuer = new X509Certificate(authority.certPem);
  const { privateKey } = await importKeys(authority.keyPem);
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
    new ExtendedKeyUsageExtension([usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
  if (names) extensions.push(names);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: issuer.subjectName,
    publicKey,
    signingKey: privateKey,
    signingAlgorithm: SIGNATURE,
    extensions,
    ...dates(validity),
  });
  return pem(certificate.toString('pem'));
}

function alternativeNames(wanted: AlternativeNames): SubjectAlternativeNameExtension | null {
  const { dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] } = wanted;
  const names: JsonGeneralName[] = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...emailAddresses.map((value) => ({ type: 'email' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return names.length > 0 ? new SubjectAlternativeNameExtension(names) : null;
}

function subjectName({ commonName, organization = [] }: Subject): Name {
  const organizations = typeof organization === 'string' ? [organization] : organization;
  // Typed values: the library reads a plain string that starts with # or a quote as something else.
  return new Name([
    ...organizations.map((name) => ({ O: [{ utf8String: name }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

function dates({ notBefore, notAfter }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

/** 127 random bits: positive, and never the same twice. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return pem(PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PRIVATE_KEY));
}

async function importKeys(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const jwk = createPrivateKey(keyPem).export({ format: 'jwk' });
  const { d: _private, ...publicJwk } = jwk;
  return {
    privateKey: await webcrypto.subtle.importKey('jwk', jwk, KEY, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('jwk', publicJwk, KEY, true, ['verify']),
  };
}

/** PEM files end with a newline. */
function pem(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
