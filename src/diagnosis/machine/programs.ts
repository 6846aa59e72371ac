import { catalogue } from '../../text/catalogue.ts';
import { type InstallerFault, installerFault } from '../installer-program.ts';
import { check, type Rule } from '../rule.ts';
import { type MachineEvidence, type ProgramFound, SERVICES, type Service } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** The wizard needs it to run at all, so one that runs is new enough. */
export const nodeVersion = check('node-version', 'fatal', ({ node }: MachineEvidence) => ({
  state: 'ok',
  detail: `${node.version} ${node.file}`,
}));

/** The openshift-install of this machine; `fault` null: it fits what is decided, or nothing is. */
export type InstallerSeen =
  | { readonly fault: 'missing' }
  | {
      readonly fault: Exclude<InstallerFault, 'missing'> | null;
      readonly file: string;
      /** Null: it does not say. */
      readonly version: string | null;
      readonly architecture: string | null;
    };

/** Which openshift-install is here, and whether it can install what is decided. */
export function installerSeen({ programs, duties }: Pick<MachineEvidence, 'programs' | 'duties'>): InstallerSeen {
  const { file = null, version = null, architecture = null } = programs['openshift-install'] ?? {};
  if (file === null) return { fault: 'missing' };
  const fault = duties === null ? null : installerFault({ version, architecture }, duties);
  return fault === 'missing' ? { fault } : { fault, file, version, architecture };
}

/** Makes the ignition files and waits for the installation. Its minor version is the one of the design. */
export const installer = check('openshift-install', 'fatal', (evidence: MachineEvidence) => {
  const { duties, programPath } = evidence;
  const found = installerSeen(evidence);
  const { missing, otherVersion, otherArchitecture } = words()['openshift-install'];
  if (found.fault === 'missing') return { state: 'failed', detail: missing(programPath.join(', ')) };
  const detail = placeOf(found);
  if (duties === null) return { state: 'ok', detail };
  const { version, goArchitecture } = duties;
  switch (found.fault) {
    case 'version': {
      const { wrong, remedy } = otherVersion;
      return { state: 'failed', detail, words: { wrong: wrong(found.version ?? '', version), remedy } };
    }
    case 'architecture': {
      const { wrong, remedy } = otherArchitecture;
      return { state: 'failed', detail, words: { wrong: wrong(found.architecture ?? '', goArchitecture), remedy } };
    }
    case 'architecture-unknown':
    case null:
      return { state: 'ok', detail };
  }
});

/** The wizard talks to the API itself; a person who looks for themselves wants oc. */
export const oc = check('oc', 'warning', ({ duties, programs, programPath }: MachineEvidence) => {
  const found = programs.oc;
  if (!found?.file) return { state: 'failed', detail: words().oc.missing(programPath.join(', ')) };
  const isOther = duties !== null && found.version !== null && minorOf(found.version) !== minorOf(duties.version);
  const { wrong, remedy } = words().oc.otherVersion;
  return isOther
    ? { state: 'failed', detail: placeOf(found), words: { wrong: wrong(found.version ?? '', duties.version), remedy } }
    : { state: 'ok', detail: placeOf(found) };
});

/** Files go to the service hosts over it, and a machine that does not come up is looked at with it. */
export const ssh = check('ssh', 'warning', ({ programs }: MachineEvidence) => {
  const file = programs.ssh?.file ?? null;
  return file === null ? { state: 'failed' } : { state: 'ok', detail: file };
});

/**
 * The programs of the services, where this machine has the service by the design. install.sh brings those that are missing, so a
 * missing one is pending; without a design nobody knows who serves.
 */
export const services: Rule<MachineEvidence, 'service-program'> = {
  code: 'service-program',
  severity: 'note',
  judge({ duties, programs, httpPort }) {
    const own = words()['service-program'];
    const names = Object.keys(SERVICES).filter(isService);
    return names
      .filter((service) => duties === null || duties.serves.includes(service))
      .map((service) => {
        const subject = own.services[service];
        const names: readonly string[] = SERVICES[service];
        const file = names.map((name) => programs[name]?.file ?? null).find((each) => each !== null);
        const none = service === 'web' ? own.ownServer(httpPort) : null;
        const said = { subject, title: subject, meaning: own.meaning, whatToDo: own.remedy };
        if (file || none !== null) return { ...said, state: 'ok', cause: file ?? none ?? '' };
        const missing = own.missing(names.join(', '));
        return duties === null
          ? { ...said, state: 'unknown', cause: `${missing}. ${own.undecided}`, whatToDo: own.undecided }
          : { ...said, state: 'pending', cause: missing };
      });
  },
};

function isService(name: string): name is Service {
  return name in SERVICES;
}

function placeOf({ file, version }: Pick<ProgramFound, 'file' | 'version'>): string {
  return version === null ? (file ?? '') : `${version} ${file ?? ''}`;
}

/** 4.18.11 -> 4.18. */
function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
