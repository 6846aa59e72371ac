import { isOkd, toMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { createCheckFactory } from '../check.ts';
import { findInstallerFault, type InstallerFault } from '../installer.ts';
import { type MachineEvidence, type ProgramStatus, SERVICE_PROGRAMS, type Service } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

const check = createCheckFactory<MachineEvidence>('start');

/** The wizard itself needs Node.js: a version that runs it is new enough. */
export const nodeVersionCheck = check('node-version', 'fatal', ({ node }) => ({
  state: 'ok',
  evidence: [`${node.version} ${node.file}`],
}));

/** The openshift-install of this machine; `fault` null: it fits the design, or no design is decided. */
export type InstallerStatus =
  | { readonly fault: 'missing' }
  | {
      readonly fault: Exclude<InstallerFault, 'missing'> | null;
      readonly file: string;
      /** Null: not reported. */
      readonly version: string | null;
      readonly architecture: string | null;
    };

/** Returns whether this machine has openshift-install, and whether it fits the design. */
export function getInstallerStatus({
  programs,
  requirements,
}: Pick<MachineEvidence, 'programs' | 'requirements'>): InstallerStatus {
  const { file = null, version = null, architecture = null } = programs['openshift-install'] ?? {};
  if (file === null) return { fault: 'missing' };
  const fault = requirements === null ? null : findInstallerFault({ version, architecture }, requirements);
  return fault === 'missing' ? { fault } : { fault, file, version, architecture };
}

/**
 * openshift-install creates the ignition files and waits for the installation. Its minor version has to be that of the
 * design.
 */
export const installerCheck = check('openshift-install', 'fatal', (evidence) => {
  const { requirements, programDirectories } = evidence;
  const status = getInstallerStatus(evidence);
  const { missing, otherVersion, otherArchitecture } = words()['openshift-install'];
  if (status.fault === 'missing')
    return {
      state: 'failed',
      evidence: [missing(programDirectories.join(', '))],
      ...getOkdRemedy(evidence, 'openshift-install'),
    };
  const detail = formatProgram(status);
  if (requirements === null) return { state: 'ok', evidence: [detail] };
  const { version, goArchitecture } = requirements;
  switch (status.fault) {
    case 'version': {
      const { wrong, remedy } = otherVersion;
      return { state: 'failed', evidence: [detail], title: wrong(status.version ?? '', version), remedy };
    }
    case 'architecture': {
      const { wrong, remedy } = otherArchitecture;
      return { state: 'failed', evidence: [detail], title: wrong(status.architecture ?? '', goArchitecture), remedy };
    }
    case 'architecture-unknown':
    case null:
      return { state: 'ok', evidence: [detail] };
  }
});

/** Returns the remedy for OKD, whose programs are published elsewhere. */
function getOkdRemedy(
  { requirements }: MachineEvidence,
  program: 'openshift-install' | 'oc',
): { readonly remedy?: string } {
  return requirements !== null && isOkd(requirements.version) ? { remedy: words()[program].remedyOkd } : {};
}

/** The wizard itself does not need oc: it calls the API directly. You need oc to inspect the cluster by hand. */
export const ocCheck = check('oc', 'warning', (evidence) => {
  const { requirements, programs, programDirectories } = evidence;
  const program = programs.oc;
  if (!program?.file)
    return {
      state: 'failed',
      evidence: [words().oc.missing(programDirectories.join(', '))],
      ...getOkdRemedy(evidence, 'oc'),
    };
  const isOtherVersion =
    requirements !== null &&
    program.version !== null &&
    toMinorVersion(program.version) !== toMinorVersion(requirements.version);
  const { wrong, remedy } = words().oc.otherVersion;
  return isOtherVersion
    ? {
        state: 'failed',
        evidence: [formatProgram(program)],
        title: wrong(program.version ?? '', requirements.version),
        remedy,
      }
    : { state: 'ok', evidence: [formatProgram(program)] };
});

/** SSH copies files to the service hosts, and gives access to a machine that does not come up. */
export const sshCheck = check('ssh', 'warning', ({ programs }) => {
  const file = programs.ssh?.file ?? null;
  return file === null ? { state: 'failed' } : { state: 'ok', evidence: [file] };
});

/**
 * The programs of the services that this machine runs by the design. install.sh installs missing ones, so a missing
 * program is pending. Without a design it is unknown which services run here.
 */
export const serviceProgramCheck = check('service-program', 'note', ({ requirements, programs, httpPort }) => {
  const texts = words()['service-program'];
  const serviceNames = Object.keys(SERVICE_PROGRAMS).filter(isService);
  return serviceNames
    .filter((service) => requirements === null || requirements.localServices.includes(service))
    .map((service) => {
      const subject = texts.services[service];
      const programNames: readonly string[] = SERVICE_PROGRAMS[service];
      const file = programNames.map((name) => programs[name]?.file ?? null).find((path) => path !== null);
      const builtInServer = service === 'web' ? texts.ownServer(httpPort) : null;
      const base = { subject, title: subject, meaning: texts.meaning, remedy: texts.remedy };
      if (file || builtInServer !== null) return { ...base, state: 'ok', evidence: [file ?? builtInServer ?? ''] };
      const missingText = texts.missing(programNames.join(', '));
      return requirements === null
        ? { ...base, state: 'unknown', evidence: [`${missingText}. ${texts.undecided}`], remedy: texts.undecided }
        : { ...base, state: 'pending', evidence: [missingText] };
    });
});

function isService(name: string): name is Service {
  return name in SERVICE_PROGRAMS;
}

function formatProgram({ file, version }: Pick<ProgramStatus, 'file' | 'version'>): string {
  return version === null ? (file ?? '') : `${version} ${file ?? ''}`;
}
