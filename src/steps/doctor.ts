import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '../checks/check.ts';
import { checkMachine, SERVICE_PORTS } from '../checks/machine/checks.ts';
import {
  type MachineEvidence,
  type MachineRequirements,
  type ProgramStatus,
  SERVICE_PROGRAMS,
  type Service,
} from '../checks/machine/evidence.ts';
import { getInstallerStatus, type InstallerStatus } from '../checks/machine/programs.ts';
import { GO_ARCHITECTURES, listServiceHosts } from '../design/derived-facts.ts';
import type { Design, Problem } from '../design/model.ts';
import { getVersionProfile } from '../design/versions.ts';
import {
  listLocalAddresses,
  listPortsInUse,
  readClockStatus,
  readFreeBytes,
  readSystemFacts,
} from '../host/local-machine.ts';
import { readLogoutRules } from '../host/user-unit.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import { readInstallerVersion } from '../installer/openshift-install.ts';
import { findProgram, readOcVersion } from '../installer/programs.ts';
import { createUnusableDirectoryError, findDirectoryProblem } from '../session/session-file.ts';
import type { StepContext } from './contract.ts';
import { checkCredentialFiles } from './shared/files/credentials.ts';

export interface InspectionInput {
  /** The install directory; it need not exist. */
  readonly dir: string;
  readonly design: Design;
  /** False while the design is the example that every installation begins with. */
  readonly hasSavedDesign: boolean;
  readonly programDirectories: readonly string[];
  readonly credentials: StepContext['credentials'];
  readonly terminal: MachineEvidence['terminal'];
  /** Also resolves names on the internet, over the network. */
  readonly isOnline?: boolean;
}

/** Names that an installation resolves: for images, updates, and the downloads of Prepare. */
const INTERNET_NAMES = {
  OpenShift: ['quay.io', 'registry.redhat.io', 'mirror.openshift.com'],
  // The images of SCOS come from the last name (openshift/installer data/data/coreos/scos.json).
  OKD: ['quay.io', 'github.com', 'rhcos.mirror.openshift.com'],
} as const;

/**
 * Inspects what this machine has and lacks for an installation. Changes nothing, and sends nothing unless `isOnline`.
 * May be called repeatedly: the versions of programs are cached by file.
 */
export async function inspectMachine(
  input: InspectionInput,
): Promise<{ readonly findings: readonly Finding[]; readonly installer: InstallerStatus }> {
  const evidence = await gatherMachineEvidence(input);
  return { findings: checkMachine(evidence), installer: getInstallerStatus(evidence) };
}

async function gatherMachineEvidence(input: InspectionInput): Promise<MachineEvidence> {
  const { dir, design, hasSavedDesign, programDirectories, credentials, terminal, isOnline } = input;
  const { httpPort } = design.services.boot;
  const [system, programs, clock, logout, ports, freeBytes, credentialProblems, sudo, lookups] = await Promise.all([
    readSystemFacts(),
    findPrograms(programDirectories),
    readClockStatus(),
    readLogoutRules(),
    listPortsInUse([...SERVICE_PORTS, { protocol: 'tcp', port: httpPort }]),
    readFreeBytes(dir),
    checkCredentialFiles(credentials, design),
    findProgram('sudo', []),
    isOnline ? Promise.all(INTERNET_NAMES[getVersionProfile(design.openshift.version).product].map(resolveName)) : null,
  ]);
  return {
    ...system,
    requirements: hasSavedDesign ? deriveRequirements(design) : null,
    httpPort,
    node: { version: process.version, file: process.execPath },
    terminal,
    programs,
    programDirectories,
    pullSecret: {
      file: credentials.pullSecretFile ?? design.credentials.pullSecretFile,
      problem: findProblem(credentialProblems, 'credentials.pullSecretFile'),
    },
    sshKey: {
      file: credentials.sshKeyFile ?? design.credentials.sshKeyFile ?? '',
      problem: findProblem(credentialProblems, 'credentials.sshKeyFile'),
    },
    dir: { path: dir, problem: checkDirectory(dir), freeBytes },
    clock,
    lookups,
    user: { ...system.user, hasSudo: sudo !== null },
    logout,
    ports,
  };
}

/**
 * Derives the requirements on this machine: version, architecture, and the services of the service hosts that have its
 * addresses.
 */
function deriveRequirements(design: Design): MachineRequirements {
  const { dns, dhcp, loadBalancer, bastion, boot } = design.services;
  const localAddresses = listLocalAddresses();
  const localHosts = listServiceHosts(design)
    .filter(({ ip }) => ip.some((address) => localAddresses.has(address)))
    .map(({ name }) => name);
  const includesLocalHost = (names: readonly (string | null)[]) =>
    names.some((name) => name !== null && localHosts.includes(name));
  const serviceLocations: readonly (readonly [Service, boolean])[] = [
    ['dns', includesLocalHost(dns.servers.map(({ name }) => name))],
    ['dhcp', includesLocalHost([dhcp.server])],
    ['load-balancer', includesLocalHost(loadBalancer.servers.map(({ name }) => name))],
    ['tftp', boot.kind === 'ipxe' && includesLocalHost([bastion.name])],
    ['web', includesLocalHost([bastion.name])],
  ];
  return {
    version: design.openshift.version,
    goArchitecture: GO_ARCHITECTURES[design.openshift.architecture],
    localServices: serviceLocations.filter(([, isLocal]) => isLocal).map(([service]) => service),
  };
}

/** Directories of service programs that a user's PATH may lack. */
const SYSTEM_DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

async function findPrograms(programDirectories: readonly string[]): Promise<MachineEvidence['programs']> {
  const services = Object.values(SERVICE_PROGRAMS).flat();
  const [installer, oc, ...otherPrograms] = await Promise.all([
    findProgram('openshift-install', programDirectories),
    findProgram('oc', programDirectories),
    ...['ssh', ...services].map(async (name) => [name, await findServiceProgram(name)] as const),
  ]);
  const noVersion = { version: null, architecture: null };
  return {
    'openshift-install': await inspectInstaller(installer),
    oc: { ...noVersion, file: oc, version: oc === null ? null : await readOcVersion(oc).catch(() => null) },
    ...Object.fromEntries(otherPrograms.map(([name, file]) => [name, { ...noVersion, file }])),
  };
}

async function findServiceProgram(name: string): Promise<string | null> {
  return (await findProgram(name, [])) ?? (await findProgram(name, SYSTEM_DIRECTORIES, ''));
}

/** Reads the version of openshift-install. One that does not run has a file but no version: Prepare reports why. */
async function inspectInstaller(file: string | null): Promise<ProgramStatus> {
  const versionInfo = file === null ? null : await readInstallerVersion(file).catch(() => null);
  return { file, version: versionInfo?.version ?? null, architecture: versionInfo?.architecture ?? null };
}

function findProblem(problems: readonly Problem[], path: string): Problem | null {
  return problems.find((problem) => problem.path === path) ?? null;
}

/** Returns why a directory can neither be used nor created; null if it can. Creates nothing. */
function checkDirectory(dir: string) {
  const problem = findDirectoryProblem(dir);
  if (problem !== null) return problem;
  try {
    accessSync(findNearestExisting(dir), constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return createUnusableDirectoryError(dir, error);
  }
}

function findNearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findNearestExisting(dirname(path));
}

/** Resolves a name as every program of this machine does. */
async function resolveName(name: string): Promise<NonNullable<MachineEvidence['lookups']>[number]> {
  try {
    await lookup(name);
    return { name, problem: null };
  } catch (error) {
    return { name, problem: describeSystemError(error), isUnanswered: getErrorCode(error) === 'EAI_AGAIN' };
  }
}
