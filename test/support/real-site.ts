import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDocument } from '../../src/design/parse.ts';
import { getUptime, HOUR, systemClock } from '../../src/platform/clock.ts';
import { type CertificateAuthority, createAuthority, issueCertificate } from '../../src/rehearsal/pki.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';
import { createIgnitionConfigs, createManifests } from '../../src/rehearsal/stand-in/create.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { addDebianMachine, createDebianHost, generateInstallFiles, MACHINE_ENV } from './debian-host.ts';
import { exampleCredentials } from './example-credentials.ts';
import { exampleImages } from './example-design.ts';
import { exampleDocument } from './example-document.ts';
import type { Lab } from './lab.ts';
import { waitUntil } from './lab.ts';
import { createLogins } from './lab-logins.ts';
import { getBuiltProgram, repoRoot, wizardExecutable } from './rehearsal-run.ts';
import { type NodeCertificates, renderNodeServer } from './site-node.ts';

/** A finding of `upi-wizard check --json`. */
export interface SiteFinding {
  readonly id: string;
  readonly title: string;
  readonly subject: string | null;
  readonly result: string;
  readonly severity: string;
  readonly evidence: string | null;
  readonly remedy: string | null;
  readonly command: string | null;
}

/** A finding of `upi-wizard diagnose --json`. */
export interface SiteDiagnosis {
  readonly rule: string;
  readonly likelihood: string;
  readonly title: string;
  readonly subjects: readonly string[];
  readonly cause: string;
  readonly whatToDo: string;
  readonly evidence: readonly string[];
}

interface Answer<T> {
  readonly findings: readonly T[];
  /** Seconds that the command took. */
  readonly seconds: number;
}

/** The machines with a file system of their own: the wizard runs on the bastion, the services on all of them. */
const DEBIAN_MACHINES = { bastion: 'host', ns1: 'ns1', lb1: 'lb1', lb2: 'lb2' } as const;
export type DebianMachineName = keyof typeof DEBIAN_MACHINES;
/** A node's name, or the machine that is gateway, forwarder and time server of the site. */
type SiteMachine = DebianMachineName | 'company' | (string & {});

/** A site with real services, which faults change and whose original state can be restored. */
export interface RealSite {
  readonly lab: Lab;
  /**
   * Runs a bash script on a machine, or with null on none of them; throws with its output if it fails. Returns its
   * output.
   */
  shell(machine: SiteMachine | null, script: string): Promise<string>;
  /** Runs a script, and another one when the site is restored; null: on none of the machines. */
  change(machine: SiteMachine | null, script: string, undo: string): Promise<void>;
  /** Adds an action to those that restore the site. */
  onRestore(action: () => Promise<unknown>): void;
  /** Replaces a text in an installed file, and restarts or reloads its service; without `unit` only the file. */
  edit(machine: DebianMachineName, path: string, from: string | RegExp, to: string, unit?: string): Promise<void>;
  /** Writes a file with its mode; the previous file comes back when the site is restored. */
  write(machine: DebianMachineName, path: string, text: string | Buffer, unit?: string): Promise<void>;
  /** Gives a machine a clock of its own, which is off by these seconds: its programs read and set it. */
  setClock(machine: SiteMachine, seconds: number): Promise<void>;
  /** Adds a Debian machine that is no part of the design, in the network of the nodes, with `lan0`. */
  addStranger(name: string, address: string): Promise<void>;
  /** Reverts all changes, the latest first. */
  restore(): Promise<void>;
  /** Environment variables of the shell that the wizard runs in, until the site is restored. */
  setEnvironment(variables: Readonly<Record<string, string>>): void;
  /** Runs `upi-wizard check` on the bastion. */
  check(...args: readonly string[]): Promise<Answer<SiteFinding>>;
  /** Runs `upi-wizard diagnose` on the bastion. */
  diagnose(...args: readonly string[]): Promise<Answer<SiteDiagnosis>>;
  /** Runs any command of the wizard on the bastion. */
  wizard(...argv: readonly string[]): Promise<{ readonly exitCode: number | undefined; readonly all: string }>;
  /** Replaces the certificate of the API on the control plane nodes and the bootstrap node. */
  replaceApiCertificate(certificate: string): Promise<void>;
  /** Certificates of the cluster, with those of the authorities. */
  readonly certificates: NodeCertificates;
}

export interface SiteOptions {
  /** Changes the example's document: the services run on Debian already. */
  readonly adapt?: (document: SiteDocument) => void;
  /** Changes what the wizard knows, and not how the site is set up: services that belong to others. */
  readonly adaptKnown?: (document: SiteDocument) => void;
  /** Service hosts without SSH. */
  readonly withoutSsh?: readonly DebianMachineName[];
  /** The wizard's own boot server in place of nginx. */
  readonly hasOwnBootServer?: boolean;
}

interface HostEntry {
  readonly name: string;
  readonly ip: string;
  readonly os: string;
}

export interface SiteDocument {
  readonly [key: string]: unknown;
  readonly nodes: { name: string; role: string; ip: string; mac: string }[];
  readonly services: {
    [key: string]: unknown;
    bastion: HostEntry;
    dns: { servers: HostEntry[] } & Record<string, unknown>;
    dhcp: Record<string, unknown>;
    loadBalancer: { servers: HostEntry[] } & Record<string, unknown>;
  };
}

/** The programs that the site runs, beside those of a Debian machine. */
export const SITE_PROGRAMS = ['nginx', 'chronyd', 'sshd', 'ssh', 'nft', 'iptables', 'curl'] as const;

const ADDRESSES: Readonly<Record<DebianMachineName, string>> = {
  bastion: '172.16.0.101',
  ns1: '172.16.0.102',
  lb1: '172.16.0.112',
  lb2: '172.16.0.113',
};
const DOMAIN = 'ocp45.example.localdomain';
const GATEWAY = '172.16.0.254';
const MACHINE_CLOCK = join(import.meta.dirname, 'machine-clock.c');
/** Forwarder and time server of the company. */
const COMPANY = '192.168.124.1';
const PULL_SECRET_REGISTRIES = [
  ...['cloud.openshift.com', 'quay.io', 'registry.redhat.io', 'registry.connect.redhat.com'],
  'mirror.example.localdomain:8443',
];
/** A pull secret with the registries of the real one and a mirror, which grants no access. */
const PULL_SECRET = JSON.stringify({
  auths: Object.fromEntries(
    PULL_SECRET_REGISTRIES.map((name) => [name, { auth: 'dXNlcjpwYXNz', email: 'a@example.com' }]),
  ),
});
const IMAGE_BYTES = { kernel: 120_000, initramfs: 240_000, rootfs: 900_000 } as const;

/** Creates the document of the example, with Debian on all service hosts. */
function createSiteDocument(): SiteDocument {
  const text = JSON.stringify(exampleDocument()).replaceAll('"rhel9"', '"debian"');
  const document = JSON.parse(text) as SiteDocument;
  return { ...document, credentials: { pullSecretFile: './pull-secret.txt', sshKeyFile: './key.pub' } };
}

/**
 * Opens the documented site: bastion, name and DHCP server, load balancer, ten nodes and the company's gateway in
 * network namespaces, set up by the generated install.sh, with real services. It ends with the test.
 */
export async function openRealSite({
  adapt,
  adaptKnown,
  withoutSsh = [],
  hasOwnBootServer = false,
}: SiteOptions = {}): Promise<RealSite> {
  const document = createSiteDocument();
  adapt?.(document);
  const { design } = checkDocument(document, true);
  if (design === null) throw new Error('the design of the site is wrong');
  const known = structuredClone(document);
  adaptKnown?.(known);
  const { design: knownDesign } = checkDocument(known, true);
  if (knownDesign === null) throw new Error('the design that the wizard knows is wrong');
  const { lab, put } = await createDebianHost(knownDesign);
  // Services that the wizard does not know were set up by another team, in the same way.
  const isOthers = ({ file }: { readonly file: string }) => !existsSync(join(lab.dir, file.split('/')[0] ?? ''));
  for (const { file, content, mode } of generateInstallFiles(design).filter(isOthers))
    put(file, content, Number.parseInt(mode, 8));
  const path = (name: string) => join(lab.dir, name);
  const isUsed = (name: DebianMachineName) => name !== 'lb2' || existsSync(path('lb2'));
  const machines = (Object.keys(DEBIAN_MACHINES) as DebianMachineName[]).filter(isUsed);
  await Promise.all(
    machines.filter((name) => name !== 'bastion').map((name) => addDebianMachine(lab, name, ADDRESSES[name])),
  );
  mkdirSync(path('scripts'));
  let scripts = 0;
  const others = new Set(['company']);

  const run = async (machine: SiteMachine | null, script: string, env: Readonly<Record<string, string>> = {}) => {
    scripts += 1;
    writeFileSync(path(`scripts/${scripts}.sh`), script);
    const name = others.has(machine ?? '')
      ? machine
      : Object.entries(DEBIAN_MACHINES).find(([each]) => each === machine)?.[1];
    if (name === undefined || name === null)
      return await lab.run(machine, `exec bash -eu "$LAB/scripts/${scripts}.sh" 2>&1`);
    const words = ['chroot', `"$LAB/${name}-fs/root"`, 'env', MACHINE_ENV, 'HOME=/tmp/lab/home', ...formatEnv(env)];
    return await lab.run(name, `exec ${words.join(' ')} bash -eu /tmp/lab/scripts/${scripts}.sh 2>&1`);
  };
  const shell = async (machine: SiteMachine | null, script: string) => {
    const { exitCode, all } = await run(machine, script);
    if (exitCode !== 0) throw new Error(`${machine}: ${script}\n${all}`);
    return all;
  };

  put('stand-ins/timedatectl', '#!/bin/sh\nprintf "NTP=yes\\nNTPSynchronized=yes\\nTimezone=Etc/UTC\\n"\n', 0o755);
  mkdirSync(path('home'));
  await addOtherMachines(lab, document);
  await setUpMachines();
  const certificates = await createInstallDirectory(path('site'), known);
  await startServices();

  let undoActions: (() => Promise<unknown>)[] = [];
  let environment: Readonly<Record<string, string>> = {};
  const change = async (machine: SiteMachine | null, script: string, undo: string) => {
    undoActions.push(() => shell(machine, undo));
    await shell(machine, script);
  };
  const write = async (machine: DebianMachineName, file: string, text: string | Buffer, unit?: string) => {
    const [source, kept] = [`scripts/${scripts}.new`, `/tmp/lab/scripts/${scripts}.kept`];
    writeFileSync(path(source), text);
    const restart = unit === undefined ? '' : `systemctl restart ${unit}`;
    await change(
      machine,
      `if [[ -e ${file} ]]; then cp -a ${file} ${kept}; fi; mkdir -p "$(dirname ${file})"; cat /tmp/lab/${source} >${file}; ${restart}`,
      `if [[ -e ${kept} ]]; then cat ${kept} >${file}; touch -r ${kept} ${file}; else rm -f ${file}; fi; ${restart}`,
    );
  };

  return {
    lab,
    shell,
    change,
    write,
    onRestore: (action) => void undoActions.push(action),
    certificates,
    async edit(machine, file, from, to, unit) {
      const before = `${await shell(machine, `cat ${file}`)}\n`;
      const after = before.replaceAll(from, to);
      if (after === before) throw new Error(`${machine} ${file} has nothing like ${from}`);
      await write(machine, file, after, unit);
    },
    async setClock(machine, seconds) {
      const offset = Buffer.alloc(8);
      offset.writeBigInt64LE(BigInt(seconds * 1_000_000_000));
      writeFileSync(path('machine-clock'), offset);
      await shell(
        null,
        `[[ -e "$LAB/machine-clock.so" ]] || gcc -shared -fPIC -O2 -o "$LAB/machine-clock.so" '${MACHINE_CLOCK}'`,
      );
      await change(
        machine,
        'cp /tmp/lab/machine-clock /run/machine-clock; echo /tmp/lab/machine-clock.so >/etc/ld.so.preload',
        'rm -f /etc/ld.so.preload /run/machine-clock',
      );
    },
    async addStranger(name, address) {
      undoActions.push(async () => {
        others.delete(name);
        await shell(null, `ip netns del ${name}; umount -R -l "$LAB/${name}-fs"; rmdir "$LAB/${name}-fs"`);
        for (const machine of machines) await shell(machine, 'ip neigh flush all');
      });
      await addDebianMachine(lab, name, address);
      others.add(name);
      await shell(name, `ip route add default via ${GATEWAY} || true`);
    },
    setEnvironment(variables) {
      environment = { ...environment, ...variables };
    },
    async restore() {
      const actions = undoActions.toReversed();
      undoActions = [];
      environment = {};
      for (const action of actions) await action();
    },
    async check(...args) {
      const { json, seconds } = await runJson(['check', '--dir', '/tmp/lab/site', '--json', ...args]);
      return { findings: (json as { checks: SiteFinding[] }).checks, seconds };
    },
    async diagnose(...args) {
      const { json, seconds } = await runJson(['diagnose', '--dir', '/tmp/lab/site', '--json', ...args]);
      return { findings: (json as { findings: SiteDiagnosis[] }).findings, seconds };
    },
    wizard: runWizard,
    async replaceApiCertificate(certificate) {
      const reload = document.nodes
        .filter(({ role }) => role === 'bootstrap' || role === 'control-plane')
        .map(({ name }) => `kill -HUP "$(cat "$LAB/nodes/${name}.pid")"`)
        .join('; ');
      put('nodes/api.new', certificate, 0o600);
      await change(
        null,
        `cp "$LAB/nodes/api.new" "$LAB/nodes/api.pem"; ${reload}; sleep 0.3`,
        `cp "$LAB/nodes/api.kept" "$LAB/nodes/api.pem"; ${reload}; sleep 0.3`,
      );
    },
  };

  async function runWizard(...argv: readonly string[]) {
    const words = [process.execPath, wizardExecutable, ...argv].map((word) => `'${word}'`);
    return await run('bastion', `cd /tmp/lab/home; exec ${words.join(' ')}`, environment);
  }

  async function runJson(argv: readonly string[]): Promise<{ readonly json: unknown; readonly seconds: number }> {
    const startedAt = getUptime();
    const { all } = await runWizard(...argv);
    const seconds = (getUptime() - startedAt) / 1000;
    const start = all.search(/^\{/m);
    if (start === -1) throw new Error(all);
    return { json: JSON.parse(all.slice(start)), seconds };
  }

  async function setUpMachines(): Promise<void> {
    const root = path('host-fs/root');
    // The checkout may be at a path where the machine has its own directory.
    await lab.run(null, `mkdir -p "${root}${repoRoot}"; mount --bind "${repoRoot}" "${root}${repoRoot}"`);
    const logins = createLogins({ lab, put }, Object.values(ADDRESSES), {
      seenAt: '/tmp/lab',
      program: 'stand-ins/ssh',
    });
    const names = `search example.localdomain\nnameserver ${ADDRESSES.ns1}\n`;
    await Promise.all(
      machines.map(async (name) => {
        await shell(
          name,
          `ip route add default via ${GATEWAY}; rm -f /etc/resolv.conf; printf '%s' '${names}' >/etc/resolv.conf
           printf '127.0.0.1 localhost\\n' >/etc/hosts; mkdir -p /etc/keepalived
           if [[ -e /tmp/lab/${name}/root/upi-wizard/install.sh ]]; then bash /tmp/lab/${name}/root/upi-wizard/install.sh; fi`,
        );
        const machine = DEBIAN_MACHINES[name];
        if (name !== 'bastion' && !withoutSsh.includes(name))
          await logins.startSshd(machine, (script) => run(name, script), ADDRESSES[name], DEBIAN_MACHINES.bastion);
      }),
    );
  }

  /** Creates an install directory with a session, the generated files, images, and the installer's ignition files. */
  async function createInstallDirectory(dir: string, source: SiteDocument): Promise<NodeCertificates> {
    mkdirSync(join(dir, 'images'), { recursive: true });
    const imageNames = {
      kernel: exampleImages.kernel,
      initramfs: exampleImages.initramfs,
      rootfs: exampleImages.rootfs,
    };
    const sums = Object.fromEntries(
      Object.entries(imageNames).map(([kind, name]) => {
        const bytes = randomBytes(IMAGE_BYTES[kind as keyof typeof IMAGE_BYTES]);
        writeFileSync(join(dir, 'images', name), bytes);
        return [kind, createHash('sha256').update(bytes).digest('hex')];
      }),
    );
    put('stand-ins/openshift-install', `#!/bin/sh\n${renderInstaller(imageNames, sums)}`, 0o755);
    put('stand-ins/oc', '#!/bin/sh\necho "Client Version: 4.18.1"\n', 0o755);
    openSession(dir).save({ ...freshState, design: source, place: { screen: 'hosts', field: null } });
    for (const [name, text] of Object.entries({
      'pull-secret.txt': PULL_SECRET,
      'key.pub': exampleCredentials.sshKey,
      'design.json': JSON.stringify(source),
    }))
      writeFileSync(join(dir, name), text, { mode: 0o600 });
    await shell(
      'bastion',
      `cd /tmp/lab/site; '${process.execPath}' '${wizardExecutable}' generate design.json --out files`,
    );
    writeFileSync(
      join(dir, 'install-config.yaml'),
      readFileSync(path('bastion/root/upi-wizard/install-config.yaml'), 'utf8'),
    );
    const { version, architecture } = design?.openshift ?? { version: '4.18', architecture: 'x86_64' as const };
    const release = deriveReleaseMetadata(version, architecture);
    const options = {
      dir,
      clock: systemClock,
      release,
      architecture,
      out: { log: () => undefined },
      faults: new Set<never>(),
    };
    createManifests(options);
    const scheduler = join(dir, 'manifests/cluster-scheduler-02-config.yml');
    writeFileSync(scheduler, readFileSync(scheduler, 'utf8').replace(/(mastersSchedulable: ).*/, '$1false'));
    await createIgnitionConfigs(options);
    const { assets } = JSON.parse(readFileSync(join(dir, '.openshift_install_state.json'), 'utf8')) as {
      assets: Record<string, { certPem: string; keyPem: string }>;
    };
    const pick = (name: string) => `${assets[name]?.certPem ?? ''}${assets[name]?.keyPem ?? ''}`;
    const signer = assets['kube-apiserver-lb-signer'] ?? { certPem: '', keyPem: '' };
    const validity = { notBefore: systemClock.now() - HOUR, notAfter: systemClock.now() + 24 * HOUR };
    const issue = async (issuer: CertificateAuthority, dnsNames: readonly string[]) => {
      const subject = { commonName: dnsNames[0] ?? '', dnsNames, usage: 'server', ...validity } as const;
      const { certPem, keyPem } = await issueCertificate(issuer, subject);
      return certPem + keyPem;
    };
    return {
      api: await issue(signer, [`api.${DOMAIN}`, `api-int.${DOMAIN}`]),
      machineConfig: pick('machine-config-server'),
      routes: await issue(await createAuthority('ingress-operator', validity), [`*.apps.${DOMAIN}`]),
      apiAuthority: signer,
    };
  }

  async function startServices(): Promise<void> {
    mkdirSync(path('nodes'));
    for (const name of ['api.pem', 'api.kept']) put(`nodes/${name}`, certificates.api, 0o600);
    put('nodes/routes.pem', certificates.routes, 0o600);
    put('nodes/machine-config.pem', certificates.machineConfig, 0o600);
    for (const { name, role } of document.nodes) {
      put(`nodes/${name}.conf`, renderNodeServer(lab.dir, name, role), 0o644);
      lab.start(name, ['nginx', '-e', 'stderr', '-c', path(`nodes/${name}.conf`)], `node-${name}.log`);
    }
    if (hasOwnBootServer) await startOwnBootServer();
    else
      await shell(
        'bastion',
        `cd /var/www/upi-wizard; mkdir -p images ignition; cp /tmp/lab/site/images/* images; cp /tmp/lab/site/*.ign ignition; chmod 644 images/* ignition/*
         cp /root/upi-wizard/nginx.conf /etc/nginx/nginx.conf; mkdir -p /var/log/nginx /var/lib/nginx; nginx -t; systemctl enable nginx; systemctl start nginx`,
      );
    // Of two load balancers the one whose check of HAProxy succeeds first takes them, and keeps them (nopreempt).
    await waitUntil('the virtual addresses', async () => {
      for (const { name } of document.services.loadBalancer.servers)
        if ((await run(name, 'ip -br addr')).all.includes('172.16.0.110/')) return true;
      return null;
    });
  }

  async function startOwnBootServer(): Promise<void> {
    const allow = (...roles: readonly string[]) =>
      document.nodes.filter(({ role }) => roles.includes(role)).map(({ ip }) => ip);
    const state = '/tmp/lab/site/.upi-wizard';
    const config = {
      listen: { host: '0.0.0.0', port: 8080 },
      webRoot: '/var/www/upi-wizard',
      programsDir: '/var/www/upi-wizard/boot',
      imagesDir: '/tmp/lab/site/images',
      ignition: {
        bootstrap: { file: '/tmp/lab/site/bootstrap.ign', allow: allow('bootstrap') },
        master: { file: '/tmp/lab/site/master.ign', allow: allow('control-plane') },
        worker: { file: '/tmp/lab/site/worker.ign', allow: allow('compute', 'infra') },
      },
      logFile: `${state}/boot-requests.ndjson`,
      statusFile: `${state}/boot-server-status.json`,
      clockAnchorFile: null,
    };
    writeFileSync(path('site/.upi-wizard/boot-server.json'), JSON.stringify(config));
    const argv = [process.execPath, getBuiltProgram('boot-server'), `${state}/boot-server.json`];
    lab.start('host', ['chroot', path('host-fs/root'), 'env', MACHINE_ENV, ...argv], 'boot-server.log');
    await waitUntil('the boot server', async () =>
      (await run('bastion', 'curl -sf http://172.16.0.101:8080/boot.ipxe')).exitCode === 0 ? true : null,
    );
  }
}

const formatEnv = (env: Readonly<Record<string, string>>) =>
  Object.entries({ XDG_CONFIG_HOME: '/tmp/lab/home', LANG: 'C.UTF-8', ...env }).map(
    ([name, value]) => `${name}='${value}'`,
  );

/** Adds the nodes with their MAC addresses, and the company's machine with its name server and time server. */
async function addOtherMachines(lab: Lab, { nodes }: SiteDocument): Promise<void> {
  const expectRun = async (machine: string, script: string) => {
    const { exitCode, all } = await lab.run(machine, script);
    if (exitCode !== 0) throw new Error(`${machine}: ${all}`);
  };
  await Promise.all(
    nodes.map(async ({ name, ip, mac }) => {
      await lab.addMachine(name, [`${ip}/24`]);
      await expectRun(name, `ip link set lan0 address ${mac}; ip route add default via ${GATEWAY}`);
    }),
  );
  await addDebianMachine(lab, 'company', GATEWAY);
  await expectRun(
    'company',
    `ip addr add ${COMPANY}/24 dev lan0; echo 1 >/proc/sys/net/ipv4/ip_forward 2>/dev/null || true`,
  );
  const dir = join(lab.dir, 'company');
  mkdirSync(dir);
  // It answers for every name of the internet.
  writeFileSync(
    join(dir, 'root.zone'),
    '$TTL 300\n@ SOA ns. admin. 1 3600 600 86400 300\n@ NS ns.\nns. A 192.168.124.1\n* A 192.168.124.80\n*.io. A 192.168.124.80\n*.com. A 192.168.124.80\n',
  );
  writeFileSync(
    join(dir, 'named.conf'),
    `options { directory "${dir}"; listen-on { ${COMPANY}; }; listen-on-v6 { none; }; recursion no; allow-query { any; }; pid-file "${dir}/named.pid"; session-keyfile "${dir}/session.key"; };
controls { };
zone "." { type primary; file "root.zone"; };\n`,
  );
  writeFileSync(
    join(dir, 'chrony.conf'),
    `local stratum 5\nallow all\nbindaddress ${COMPANY}\ncmdport 0\npidfile /run/chronyd.pid\n`,
  );
  lab.start('company', ['named', '-g', '-c', join(dir, 'named.conf')], 'company-named.log');
  const { exitCode, all } = await lab.run('company', `chroot "$LAB/company-fs/root" bash -c '${START_TIME_SERVER}'`);
  if (exitCode !== 0) throw new Error(all);
}

/** Starts the time server of the company, on its machine. It does not set the clock of that machine. */
export const START_TIME_SERVER =
  'nohup setsid chronyd -x -d -f /tmp/lab/company/chrony.conf </dev/null >/tmp/lab/company-chrony.log 2>&1 & for _ in $(seq 100); do [[ -e /run/chronyd.pid ]] && break; sleep 0.05; done';

/** Renders the stand-in of openshift-install, as far as the wizard reads it: its version and its images. */
function renderInstaller(
  names: Readonly<Record<'kernel' | 'initramfs' | 'rootfs', string>>,
  sums: Readonly<Record<string, string>>,
): string {
  const artifact = (kind: keyof typeof names) => ({
    location: `https://mirror.example/${names[kind]}`,
    sha256: sums[kind],
  });
  const pxe = { kernel: artifact('kernel'), initramfs: artifact('initramfs'), rootfs: artifact('rootfs') };
  const { release } = exampleImages;
  const stream = { architectures: { x86_64: { artifacts: { metal: { release, formats: { pxe } } } } } };
  return `case "$1" in version) echo "openshift-install 4.18.1"; echo "release architecture amd64" ;; *) echo '${JSON.stringify(stream)}' ;; esac\n`;
}
