import { GO_NAMES } from '../../artifacts/installer/fetch-script.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { HOUR } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { lifeOf } from '../shared/installer/ignition-life.ts';
import { workspace } from '../shared/workspace.ts';
import type { PrepareFacts } from './facts.ts';

const words = () => catalogue().steps.prepare;
/** The documentation's advice: the first rotation of the certificates comes 16 to 22 hours after they were made. */
const EXPIRES_SOON = 12 * HOUR;

const finding = (
  severity: Finding['severity'],
  code: string,
  said: Pick<Finding, 'title' | 'cause' | 'whatToDo'>,
): Finding => ({ code, severity, subject: null, ...said });

/** What is wrong before a machine is switched on; `fatal` is what going on cannot put right. */
export function prepareFindings(context: StepContext, facts: PrepareFacts): Finding[] {
  return [
    ...programFindings(context, facts),
    ...imageFindings(context, facts),
    ...directoryFindings(context, facts),
    ...expiryFindings(context, facts),
    ...servedFindings(context, facts),
  ];
}

function programFindings(context: StepContext, { program, version }: PrepareFacts): Finding[] {
  const { version: wanted, architecture } = context.design.openshift;
  if (program === null || version === null) {
    const cause = words().lookedIn(context.programPath.join(', '));
    return [
      finding('warning', 'installer-missing', {
        title: words().noInstaller,
        cause,
        whatToDo: words().noInstallerFix(wanted),
      }),
    ];
  }
  const found: Finding[] = [];
  if (!isSameMinor(version.version, wanted)) {
    found.push(
      finding('fatal', 'installer-version', {
        title: words().wrongVersion(version.version, wanted),
        cause: program,
        whatToDo: words().wrongVersionFix,
      }),
    );
  }
  const installs = version.architecture;
  if (installs !== null && installs !== 'multi' && installs !== GO_NAMES[architecture]) {
    found.push(
      finding('fatal', 'installer-architecture', {
        title: words().wrongArchitecture(installs, architecture),
        cause: program,
        whatToDo: words().wrongArchitectureFix(architecture),
      }),
    );
  }
  return found;
}

function imageFindings({ imagesDir }: StepContext, { imageStates }: PrepareFacts): Finding[] {
  const names = (wanted: string) => imageStates.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [missing, wrong, unchecked] = [names('missing'), names('wrong'), names('unchecked')];
  const found: Finding[] = [];
  if (wrong.length > 0)
    found.push(
      finding('warning', 'images-wrong', {
        title: words().wrongImages,
        cause: wrong.join(', '),
        whatToDo: words().wrongImagesFix,
      }),
    );
  if (missing.length > 0)
    found.push(
      finding('warning', 'images-missing', {
        title: words().noImages(imagesDir),
        cause: missing.join(', '),
        whatToDo: words().noImagesFix(missing.join(', ')),
      }),
    );
  if (unchecked.length > 0)
    found.push(
      finding('note', 'images-unchecked', {
        title: words().uncheckedImages,
        cause: unchecked.join(', '),
        whatToDo: words().uncheckedImagesFix,
      }),
    );
  return found;
}

function directoryFindings(context: StepContext, { directory, isAlive, isOfOtherConfig }: PrepareFacts): Finding[] {
  // A cluster that lives from it stays as it was made.
  if (isOfOtherConfig && !isAlive) {
    const { title, cause, whatToDo } = words().otherConfig;
    return [finding('warning', 'install-config-changed', { title, cause: cause(context.dir), whatToDo })];
  }
  if (directory.state !== 'mixed') return [];
  const title = words().usedDirectory;
  const cause = context.dir;
  return [
    isAlive
      ? finding('fatal', 'install-dir-alive', { title, cause, whatToDo: words().aliveDirectoryFix })
      : finding('warning', 'install-dir-used', { title, cause, whatToDo: words().usedDirectoryFix }),
  ];
}

function expiryFindings(context: StepContext, { directory, isAlive }: PrepareFacts): Finding[] {
  const { expiresAt } = directory;
  if (expiresAt === null) return [];
  const left = expiresAt - context.clock.now();
  if (left <= 0) {
    const cause = new Date(expiresAt).toISOString();
    return isAlive
      ? [finding('note', 'ignition-expired', { title: words().expired, cause, whatToDo: words().expiredAliveFix })]
      : [finding('warning', 'ignition-expired', { title: words().expired, cause, whatToDo: words().expiredFix })];
  }
  if (left >= EXPIRES_SOON) return [];
  return [
    finding('warning', 'ignition-expires', {
      title: words().expiresSoon(lifeOf(left)),
      cause: words().expiresWhy,
      whatToDo: words().expiresSoonFix,
    }),
  ];
}

function servedFindings({ dir, imagesDir, design }: StepContext, { unserved, server }: PrepareFacts): Finding[] {
  if (unserved.length === 0 || server === null) return [];
  const cause = unserved.map(({ path, detail }) => `${path} (${detail})`).join('; ');
  const whatToDo =
    server === 'other'
      ? words().unservedByOther(dir, imagesDir, workspace(dir).filesOf(design.services.bastion.name))
      : words().unservedFix;
  return [finding('fatal', 'boot-files-missing', { title: words().unserved(unserved.length), cause, whatToDo })];
}

/** 4.18 and 4.18.11 fit each other; 4.18.3 and 4.18.11 do not. */
function isSameMinor(found: string, wanted: string): boolean {
  return found === wanted || found.startsWith(`${wanted}.`);
}
