import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { logoutRules } from '../../bastion/logout.ts';
import { clockFacts } from '../../bastion/machine/clock.ts';
import { freeBytes, ownAddresses, systemFacts } from '../../bastion/machine/facts.ts';
import { listeners } from '../../bastion/machine/listeners.ts';
import { errorCode } from '../../bastion/patience.ts';
import type { Design, Problem } from '../../design/model.ts';
import { GO_NAMES, serviceHosts } from '../../design/names.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import {
  type Duties,
  type MachineEvidence,
  type ProgramFound,
  SERVICES,
  type Service,
} from '../../diagnosis/machine/evidence.ts';
import { judgeMachine } from '../../diagnosis/machine/index.ts';
import { SERVICE_PORTS } from '../../diagnosis/machine/ports.ts';
import { type InstallerSeen, installerSeen } from '../../diagnosis/machine/programs.ts';
import { findProgram } from '../../installer/find.ts';
import { ocVersion } from '../../installer/oc.ts';
import { installerVersion } from '../../installer/openshift-install.ts';
import { directoryProblem, unusableDirectory } from '../../session/directory-problem.ts';
import { systemReason } from '../../text/system-reason.ts';
import type { StepContext } from '../contract.ts';
import { judgeCredentials } from '../shared/files/credentials.ts';

/** What the look at this machine is about. */
export interface MachineLook {
  /** The install directory; it need not exist. */
  readonly dir: string;
  readonly design: Design;
  /** False while the design is the example that every installation begins with. */
  readonly isDecided: boolean;
  readonly programPath: readonly string[];
  readonly credentials: StepContext['credentials'];
  readonly terminal: MachineEvidence['terminal'];
  /** Looks names of the internet up as well, over the network. */
  readonly isOnline?: boolean;
}

/** Names that an installation asks for: images, updates, and where Prepare fetches from. */
const OUTSIDE = ['quay.io', 'registry.redhat.io', 'mirror.openshift.com'];

/**
 * Looks at what this machine has and lacks for an installation. Changes nothing, and sends nothing unless `isOnline`. Programs say
 * their version once for the same file, so that it can be repeated.
 */
export async function lookAtMachine(
  look: MachineLook,
): Promise<{ readonly findings: readonly Finding[]; readonly installer: InstallerSeen }> {
  const evidence = await evidenceOf(look);
  return { findings: judgeMachine(evidence), installer: installerSeen(evidence) };
}

async function evidenceOf(look: MachineLook): Promise<MachineEvidence> {
  const { dir, design, isDecided, programPath, credentials, terminal, isOnline } = look;
  const { httpPort } = design.services.boot;
  const [system, programs, clock, logout, ports, free, wrong, sudo, lookedUp] = await Promise.all([
    systemFacts(),
    programsOf(programPath),
    clockFacts(),
    logoutRules(),
    listeners([...SERVICE_PORTS, { protocol: 'tcp', port: httpPort }]),
    freeBytes(dir),
    judgeCredentials(credentials, design),
    findProgram('sudo', []),
    isOnline ? Promise.all(OUTSIDE.map(lookUp)) : null,
  ]);
  return {
    ...system,
    duties: isDecided ? dutiesOf(design) : null,
    httpPort,
    node: { version: process.version, file: process.execPath },
    terminal,
    programs,
    programPath,
    pullSecret: {
      file: credentials.pullSecretFile ?? design.credentials.pullSecretFile ?? '',
      problem: problemAt(wrong, 'credentials.pullSecretFile'),
    },
    sshKey: {
      file: credentials.sshKeyFile ?? design.credentials.sshKeyFile ?? '',
      problem: problemAt(wrong, 'credentials.sshKeyFile'),
    },
    dir: { path: dir, problem: problemOf(dir), freeBytes: free },
    clock,
    lookedUp,
    user: { ...system.user, hasSudo: sudo !== null },
    logout,
    ports,
  };
}

/** Of the hosts of the design, those that have an address of this machine. */
function dutiesOf(design: Design): Duties {
  const { dns, dhcp, loadBalancer, bastion, boot } = design.services;
  const own = ownAddresses();
  const here = serviceHosts(design)
    .filter(({ ip }) => ip.some((address) => own.has(address)))
    .map(({ name }) => name);
  const isHere = (names: readonly (string | null)[]) => names.some((name) => name !== null && here.includes(name));
  const served: readonly (readonly [Service, boolean])[] = [
    ['dns', isHere(dns.servers.map(({ name }) => name))],
    ['dhcp', isHere([dhcp.server])],
    ['load-balancer', isHere(loadBalancer.servers.map(({ name }) => name))],
    ['tftp', boot.kind === 'ipxe' && isHere([bastion.name])],
    ['web', isHere([bastion.name])],
  ];
  return {
    version: design.openshift.version,
    goArchitecture: GO_NAMES[design.openshift.architecture],
    serves: served.filter(([, isServed]) => isServed).map(([service]) => service),
  };
}

/** Where a user's PATH does not lead, and the programs of the services are. */
const SYSTEM = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

async function programsOf(programPath: readonly string[]): Promise<MachineEvidence['programs']> {
  const services = Object.values(SERVICES).flat();
  const [installer, oc, ...others] = await Promise.all([
    findProgram('openshift-install', programPath),
    findProgram('oc', programPath),
    ...['ssh', ...services].map(async (name) => [name, await findService(name)] as const),
  ]);
  const unasked = { version: null, architecture: null };
  return {
    'openshift-install': await installerFound(installer),
    oc: { ...unasked, file: oc, version: oc === null ? null : await ocVersion(oc).catch(() => null) },
    ...Object.fromEntries(others.map(([name, file]) => [name, { ...unasked, file }])),
  };
}

async function findService(name: string): Promise<string | null> {
  return (await findProgram(name, [])) ?? (await findProgram(name, SYSTEM, ''));
}

/** One that does not run is there all the same: Prepare says why it does not. */
async function installerFound(file: string | null): Promise<ProgramFound> {
  const said = file === null ? null : await installerVersion(file).catch(() => null);
  return { file, version: said?.version ?? null, architecture: said?.architecture ?? null };
}

function problemAt(problems: readonly Problem[], path: string): Problem | null {
  return problems.find((problem) => problem.path === path) ?? null;
}

/** Why a directory cannot be used or made; nothing is made to find out. */
function problemOf(dir: string) {
  const problem = directoryProblem(dir);
  if (problem !== null) return problem;
  try {
    accessSync(nearestExisting(dir), constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return unusableDirectory(dir, error);
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** As every program of this machine would find it. */
async function lookUp(name: string): Promise<NonNullable<MachineEvidence['lookedUp']>[number]> {
  try {
    await lookup(name);
    return { name, problem: null };
  } catch (error) {
    return { name, problem: systemReason(error), isUnheard: errorCode(error) === 'EAI_AGAIN' };
  }
}
