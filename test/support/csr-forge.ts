import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { NodeRole } from '../../src/design/choices.ts';
import type { Design, DesignNode, ServiceHost } from '../../src/design/model.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import type { NodeView } from '../../src/openshift/node.ts';

// Forges real certificate requests, good and hostile, byte by byte: a library would refuse to write the bad ones.

const concat = (...parts: Uint8Array[]) => Buffer.concat(parts);

export function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = concat(...content);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : body.length < 0x10000
          ? [0x82, body.length >> 8, body.length & 255]
          : [0x83, body.length >> 16, (body.length >> 8) & 255, body.length & 255];
  return concat(Buffer.from([tag, ...length]), body);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 127];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left & 127) | 128);
    return groups;
  });
  return der(6, Buffer.from(bytes));
}

const O = '2.5.4.10';
const CN = '2.5.4.3';
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const attribute = (type: string, value: Uint8Array) => der(0x30, oid(type), value);

/** One relative distinguished name of these attributes. */
export type Rdn = readonly (readonly [string, string])[];
export const organization = (text: string): Rdn => [[O, text]];
export const commonName = (text: string): Rdn => [[CN, text]];

export const san = {
  dns: (text: string) => der(0x82, Buffer.from(text)),
  ip: (text: string) => der(0x87, addressBytes(text)),
  email: (text: string) => der(0x81, Buffer.from(text)),
  uri: (text: string) => der(0x86, Buffer.from(text)),
  other: () => der(0xa0, oid('1.3.6.1.4.1.311.20.2.3'), der(0xa0, utf8('w1'))),
  directory: () => der(0xa4, der(0x30)),
};

/** IPv4, or IPv6 with all its groups or one `::`. */
function addressBytes(text: string): Buffer {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number));
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

export interface Forgery {
  subject?: readonly Rdn[];
  sans?: readonly Uint8Array[] | null;
  keys?: { publicKey: KeyObject; privateKey: KeyObject };
  /** OID of the signature algorithm; by default that of the kind of key. */
  algorithm?: string;
  breakSignature?: boolean;
  /** Replaces the bytes of the attributes. */
  attributes?: Uint8Array;
  /** Changes the part to sign before it is signed. */
  alterInfo?: (info: Buffer) => Buffer;
  /** Changes the whole DER. */
  alterDer?: (der: Buffer) => Buffer;
  /** Changes the PEM text. */
  alterPem?: (pem: string) => string;
}

export const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const defaultKeys = createKeys();

export function sanAttribute(sans: readonly Uint8Array[]): Buffer {
  return der(0x30, oid('1.2.840.113549.1.9.14'), der(0x31, der(0x30, sanExtension(sans))));
}

export function sanExtension(sans: readonly Uint8Array[]): Buffer {
  return der(0x30, oid('2.5.29.17'), der(0x04, der(0x30, ...sans)));
}

// Many forged requests share few keys.
const spkiCache = new WeakMap<KeyObject, Buffer>();
function exportSpki(key: KeyObject): Buffer {
  const spki = spkiCache.get(key) ?? key.export({ format: 'der', type: 'spki' });
  spkiCache.set(key, spki);
  return spki;
}

export function forgePem(forgery: Forgery = {}): string {
  const {
    subject = [organization('system:nodes'), commonName('system:node:w1')],
    sans = null,
    keys = defaultKeys,
  } = forgery;
  const name = der(0x30, ...subject.map((rdn) => der(0x31, ...rdn.map(([type, text]) => attribute(type, utf8(text))))));
  const spki = exportSpki(keys.publicKey);
  const attributes = forgery.attributes ?? (sans === null ? Buffer.alloc(0) : sanAttribute(sans));
  const plain = der(0x30, der(0x02, Buffer.from([0])), name, spki, der(0xa0, attributes));
  const info = forgery.alterInfo ? forgery.alterInfo(plain) : plain;
  const type = keys.privateKey.asymmetricKeyType;
  const algorithms = {
    ec: '1.2.840.10045.4.3.2',
    rsa: '1.2.840.113549.1.1.11',
    ed25519: '1.3.101.112',
    dsa: '2.16.840.1.101.3.4.3.2',
  };
  const algorithm = forgery.algorithm ?? algorithms[type as keyof typeof algorithms];
  const signature = sign(type === 'ed25519' ? null : 'sha256', info, keys.privateKey);
  if (forgery.breakSignature) signature[signature.length - 1]! ^= 1;
  const request = der(0x30, info, der(0x30, oid(algorithm)), der(0x03, Buffer.from([0]), signature));
  const bytes = forgery.alterDer ? forgery.alterDer(request) : request;
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
  return forgery.alterPem ? forgery.alterPem(pem) : pem;
}

export const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING = 'kubernetes.io/kubelet-serving';
export const DOMAIN = 'ocp45.example.localdomain';
/** The time of the tests: 2026-11-21 12:00 UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12);

export interface RequestForgery extends Forgery {
  name?: string;
  uid?: string;
  /** Short name of the node. */
  node?: string;
  fqdn?: string;
  signer?: string;
  username?: string;
  groups?: string[];
  usages?: string[];
  expirationSeconds?: number;
  createdAt?: number;
  conditions?: object[];
  certificate?: string;
  raw?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: an API response that tests modify freely
export type ApiObject = any;

/** Creates a node's first request, to join: well-formed unless the forgery says otherwise. */
export function createClientObject(forgery: RequestForgery = {}): ApiObject {
  const fqdn = forgery.fqdn ?? `${forgery.node ?? 'w1'}.${DOMAIN}`;
  return createObject(
    {
      signer: CLIENT,
      username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
      groups: [
        'system:serviceaccounts',
        'system:serviceaccounts:openshift-machine-config-operator',
        'system:authenticated',
      ],
      usages: ['digital signature', 'client auth'],
      subject: [organization('system:nodes'), commonName(`system:node:${fqdn}`)],
      ...forgery,
    },
    'csr-c1',
  );
}

/** Creates a node's request for its serving certificate. */
export function createServingObject(forgery: RequestForgery = {}): ApiObject {
  const node = forgery.node ?? 'w1';
  const fqdn = forgery.fqdn ?? `${node}.${DOMAIN}`;
  return createObject(
    {
      signer: SERVING,
      username: `system:node:${fqdn}`,
      groups: ['system:nodes', 'system:authenticated'],
      usages: ['digital signature', 'server auth'],
      subject: [organization('system:nodes'), commonName(`system:node:${fqdn}`)],
      sans: [san.dns(fqdn), san.ip(findAddress(node))],
      ...forgery,
    },
    'csr-s1',
  );
}

function createObject(forgery: RequestForgery, name: string): ApiObject {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {
      name: forgery.name ?? name,
      uid: forgery.uid ?? `uid-of-${forgery.name ?? name}`,
      creationTimestamp: new Date(forgery.createdAt ?? NOW - 60_000).toISOString(),
    },
    spec: {
      signerName: forgery.signer,
      username: forgery.username,
      groups: forgery.groups,
      usages: forgery.usages,
      ...(forgery.expirationSeconds === undefined ? {} : { expirationSeconds: forgery.expirationSeconds }),
      request: forgery.raw ?? Buffer.from(forgePem(forgery), 'latin1').toString('base64'),
    },
    status: {
      ...(forgery.conditions ? { conditions: forgery.conditions } : {}),
      ...(forgery.certificate ? { certificate: forgery.certificate } : {}),
    },
  };
}

export const createClientRequest = (forgery?: RequestForgery): CertificateRequest =>
  parseCertificateRequest(createClientObject(forgery));
export const createServingRequest = (forgery?: RequestForgery): CertificateRequest =>
  parseCertificateRequest(createServingObject(forgery));

const ADDRESSES: Record<string, string> = {
  bs: '172.16.0.11',
  m1: '172.16.0.21',
  m2: '172.16.0.22',
  m3: '172.16.0.23',
  i1: '172.16.0.31',
  i2: '172.16.0.32',
  i3: '172.16.0.33',
  s1: '172.16.0.36',
  w1: '172.16.0.41',
  w2: '172.16.0.42',
};
const findAddress = (name: string) => ADDRESSES[name] ?? '172.16.0.99';

/** Returns a design of ten nodes like the documented example's. */
export function testDesign(): Design {
  const roles: Record<string, NodeRole> = {
    b: 'bootstrap',
    m: 'control-plane',
    i: 'infra',
    s: 'storage',
    w: 'compute',
  };
  const nodes = Object.entries(ADDRESSES).map(
    ([name, ip], index): DesignNode => ({
      name,
      role: roles[name.charAt(0)] ?? 'compute',
      ip: [ip],
      mac: `00:50:56:96:11:${(0x10 + index).toString(16)}`,
      vcpu: 4,
      memoryGiB: 16,
      diskGiB: 120,
      installDisk: '/dev/sda',
      interface: null,
      bond: null,
      vlan: null,
      firmware: 'bios',
      secureBoot: false,
      kernelArguments: [],
    }),
  );
  const host = (name: string, ip: string): ServiceHost => ({ name, ip: [ip], os: 'rhel9' });
  return {
    openshift: { version: '4.18', architecture: 'x86_64', osImageStream: null },
    topology: 'standard',
    cluster: { name: 'ocp45', baseDomain: 'example.localdomain' },
    networks: {
      machine: [{ cidr: '172.16.0.0/24', gateway: '172.16.0.254' }],
      cluster: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
      service: ['172.30.0.0/16'],
      type: 'OVNKubernetes',
      company: [],
      router: null,
    },
    endpoints: { api: ['172.16.0.111'], apiInt: ['172.16.0.110'], ingress: ['172.16.0.111'] },
    nodes,
    services: {
      bastion: host('bastion', '172.16.0.101'),
      dns: { kind: 'bind', servers: [host('ns1', '172.16.0.102')], forwarders: [] },
      dhcp: { kind: 'isc-dhcpd', server: 'ns1' },
      loadBalancer: { kind: 'haproxy', servers: [host('lb1', '172.16.0.112')] },
      boot: { kind: 'ipxe', httpPort: 8080 },
      time: { servers: [] },
    },
    credentials: { pullSecretFile: null, sshKeyFile: null, fencingFile: null },
    fips: false,
    proxy: null,
    additionalTrustBundleFile: null,
    downloadsDir: null,
    additionalTrustBundlePolicy: null,
    imageDigestSources: [],
    infra: {
      taint: { key: 'node-role.kubernetes.io/infra', value: 'reserved', noExecute: false },
      pool: true,
      keepWorkerRole: true,
      routerReplicas: 3,
      routers: [],
      registry: { storage: 'pvc', storageClass: null, accessMode: 'ReadWriteMany', sizeGiB: 100, retain: false },
      monitoring: { storageClass: null, prometheusGiB: 40, alertmanagerGiB: 10 },
      also: [],
      removeWorkersFromLoadBalancer: true,
      machineSets: null,
      autoscaler: null,
    },
  };
}

/** Creates a node as the cluster reports it. */
export function createNodeView(name: string, extra: Partial<NodeView> = {}): NodeView {
  return {
    name: `${name}.${DOMAIN}`,
    roles: ['worker'],
    isReady: true,
    readySince: null,
    notReadySince: null,
    problems: [],
    addresses: [
      { type: 'InternalIP', address: findAddress(name) },
      { type: 'Hostname', address: `${name}.${DOMAIN}` },
    ],
    taints: [],
    labels: {},
    createdAt: NOW - 30_000,
    ...extra,
  };
}
