import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getApiIntName, getApiName, getAppsDomain, listNodesWithRole } from '../../src/design/derived-facts.ts';
import type { Design } from '../../src/design/model.ts';
import {
  type AlternativeNames,
  type CertificateAuthority,
  createAuthority,
  type IssuedCertificate,
  issueCertificate,
  type Validity,
} from '../../src/rehearsal/pki.ts';
import { buildPointerIgnition } from '../../src/rehearsal/stand-in/ignition.ts';
import { exampleSite, generateFileText } from './example-design.ts';
import { exampleDocument } from './example-document.ts';
import { type Lab, openLab, waitUntil } from './lab.ts';
import { adaptConfig } from './load-balancer.ts';
import { wizardExecutable } from './rehearsal-run.ts';
import type { TlsPort } from './tls-node.ts';

const NODE_PROGRAM = join(import.meta.dirname, 'tls-node.ts');
const DAY = 86_400_000;

export interface SiteCheckLine {
  readonly id: string;
  readonly subject: string | null;
  readonly result: string;
  readonly severity: string;
  readonly evidence: string | null;
  readonly remedy: string | null;
}

/** The CAs of one run of the installer. */
export interface RunAuthorities {
  readonly api: CertificateAuthority;
  readonly machineConfig: CertificateAuthority;
  readonly ingress: CertificateAuthority;
}

/** Creates the CAs of a run. Those of another run have the same names. */
export async function createRunAuthorities(): Promise<RunAuthorities> {
  const validity = { notBefore: Date.now() - DAY, notAfter: Date.now() + 100 * DAY };
  return {
    api: await createAuthority('kube-apiserver-lb-signer', validity),
    machineConfig: await createAuthority('root-ca', validity),
    ingress: await createAuthority('ingress-operator@1', validity),
  };
}

/** Issues a server certificate, valid for a day unless `validity` says otherwise. */
export async function issue(
  authority: CertificateAuthority,
  dnsNames: AlternativeNames['dnsNames'],
  validity: Validity = { notBefore: Date.now() - DAY, notAfter: Date.now() + DAY },
): Promise<IssuedCertificate> {
  return await issueCertificate(authority, {
    commonName: dnsNames?.[0] ?? '',
    dnsNames,
    usage: 'server',
    ...validity,
  });
}

/** A site with a real HAProxy in front of machines with TLS servers, each in its network namespace. */
export interface TlsSite {
  readonly lab: Lab;
  readonly design: Design;
  /** Starts the servers of a machine, again if it has some; none: it is off. */
  setNode(name: string, ports: readonly TlsPort[]): Promise<void>;
  /** Starts HAProxy with its generated file, again if it runs. */
  setBalancer(change?: (config: string) => string): Promise<void>;
  /** Runs the checks of the phase of the load balancer, on the bastion. */
  check(...argv: readonly string[]): Promise<readonly SiteCheckLine[]>;
}

/** The ports of a control plane node with certificates of a run. */
export async function createControlPlanePorts(
  design: Design,
  run: RunAuthorities,
  validity?: Validity,
): Promise<TlsPort[]> {
  const [api, internal] = [getApiName(design), getApiIntName(design)];
  const identity = async (authority: CertificateAuthority, name: string) => {
    const { certPem: cert, keyPem: key } = await issue(authority, [name], validity);
    return { name, cert, key };
  };
  return [
    { port: 6443, identities: [await identity(run.api, internal), await identity(run.api, api)] },
    { port: 22_623, identities: [await identity(run.machineConfig, internal)] },
  ];
}

/** The ports of a node with a router. */
export async function createRouterPorts(design: Design, run: RunAuthorities): Promise<TlsPort[]> {
  const name = `*.${getAppsDomain(design)}`;
  const { certPem: cert, keyPem: key } = await issue(run.ingress, [name]);
  return [
    { port: 443, identities: [{ name, cert, key }] },
    { port: 80, identities: [] },
  ];
}

/** Opens the site with the install directory of a run. Nothing is powered on yet. */
export async function openTlsSite(run: RunAuthorities): Promise<TlsSite> {
  const design = exampleSite();
  const lab = await openLab();
  const put = (name: string, content: string) => {
    mkdirSync(dirname(join(lab.dir, name)), { recursive: true });
    writeFileSync(join(lab.dir, name), content);
  };
  put('design.yaml', JSON.stringify(exampleDocument()));
  put('auth/kubeconfig', renderKubeconfig(design, run));
  const domain = `${design.cluster.name}.${design.cluster.baseDomain}`;
  for (const role of ['master', 'worker'] as const)
    put(`${role}.ign`, buildPointerIgnition(role, domain, run.machineConfig.certPem, { version: '4.18.1' } as never));
  await lab.addMachine('bastion', ['172.16.0.101/24']);
  await lab.addMachine('lb1', ['172.16.0.112/24', '172.16.0.110/24', '172.16.0.111/24']);
  const machines = listNodesWithRole(design, 'bootstrap', 'control-plane', 'compute');
  for (const { name, ip } of machines) await lab.addMachine(name, [`${ip[0]}/24`]);
  const running = new Map<string, () => Promise<void>>();
  const stop = async (name: string) => {
    await running.get(name)?.();
    running.delete(name);
  };
  return {
    lab,
    design,
    async setNode(name, ports) {
      await stop(name);
      if (ports.length === 0) return;
      put(`${name}.json`, JSON.stringify(ports));
      running.set(
        name,
        lab.start(name, ['env', process.execPath, NODE_PROGRAM, join(lab.dir, `${name}.json`)], `${name}.log`),
      );
      await waitUntil(`the servers of ${name}`, async () => {
        const { all } = await lab.run(name, 'ss -Hltn');
        return ports.every(({ port }) => all.includes(`0.0.0.0:${port} `)) ? true : null;
      });
    },
    async setBalancer(change = (config) => config) {
      await stop('lb1');
      const text = generateFileText(design, 'lb1/etc/haproxy/haproxy.cfg');
      const mapping = { address: (ip: string) => ip, port: (port: number) => port };
      put('haproxy.cfg', change(adaptConfig(text, mapping, lab.dir)));
      running.set('lb1', lab.start('lb1', ['haproxy', '-db', '-f', join(lab.dir, 'haproxy.cfg')], 'haproxy.log'));
      await waitUntil('HAProxy', async () => {
        const { all } = await lab.run('lb1', 'ss -Hltn');
        return all.includes(':6443 ') ? true : null;
      });
    },
    async check(...argv) {
      const command = [process.execPath, wizardExecutable, 'check', `${lab.dir}/design.yaml`, '--json', ...argv];
      const { all } = await lab.run('bastion', command.map((word) => `'${word}'`).join(' '));
      if (!all.includes('{')) throw new Error(all);
      return (JSON.parse(all.slice(all.indexOf('{'))) as { readonly checks: readonly SiteCheckLine[] }).checks;
    },
  };
}

function renderKubeconfig(design: Design, { api }: RunAuthorities): string {
  const authority = Buffer.from(api.certPem).toString('base64');
  const cluster = { server: `https://${getApiName(design)}:6443`, 'certificate-authority-data': authority };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'c', cluster }] });
}
